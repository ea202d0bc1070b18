// Keeps the live parts of a page as the service has them now. It takes each from the same page, asked
// for again, and draws nothing of its own. Without it everything works, and is reloaded by hand.
"use strict";

const EVERY = 2000;

/** The link in a part that has the focus, if one has. */
function focusedLink(part) {
  const focused = document.activeElement;
  return focused instanceof HTMLAnchorElement && part.contains(focused) ? focused : null;
}

/** Whether somebody is at work in a part, so that it is better left alone. To stand on a link is no work. */
function isInUse(part) {
  const focused = document.activeElement;
  if (part.contains(focused) && focused !== part && !focusedLink(part)) return true;
  if (part.querySelector("details[open], :active") !== null) return true;
  return [...part.querySelectorAll("input, textarea")].some((field) => field.value !== field.defaultValue);
}

/** The links of a part that lead to the same place as this one, in their order. */
function alike(part, link) {
  const href = link.getAttribute("href");
  return [...part.querySelectorAll("a[href]")].filter((other) => other.getAttribute("href") === href);
}

/** Puts what is new into a part, and leaves the focus where it is. */
function renew(part, now) {
  const link = focusedLink(part);
  const place = link && alike(part, link).indexOf(link);
  part.replaceChildren(...document.importNode(now, true).childNodes);
  if (!link) return;
  const again = alike(part, link);
  const there = (link.id && document.getElementById(link.id)) || again[place] || again.at(-1);
  // What it led to may be gone. Then the next Tab goes on in the part, and not at the top of the page.
  if (!there) part.tabIndex = -1;
  (there || part).focus({ preventScroll: true });
}

async function refresh() {
  const parts = [...document.querySelectorAll("[data-live]")];
  if (document.hidden || parts.length === 0) return;
  const answer = await fetch(location.href, {
    headers: { "swampbox-looks": "1" },
    redirect: "error",
    cache: "no-store",
  });
  if (answer.status === 401) {
    location.reload();
    return;
  }
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts) {
    const now = page.getElementById(part.id);
    if (now !== null && !isInUse(part) && now.innerHTML !== part.innerHTML) renew(part, now);
  }
}

async function keep() {
  try {
    await refresh();
  } catch {
    // The service is away for now; the next time may be better.
  }
  setTimeout(keep, EVERY);
}

setTimeout(keep, EVERY);

// Keeps the live parts of a page as the service has them now. It takes each from the same page, asked
// for again, and draws nothing of its own. Without it everything works, and is reloaded by hand.
"use strict";

const EVERY = 2000;

/** Whether somebody is at work in a part, so that it is better left alone. */
function isInUse(part) {
  return part.contains(document.activeElement) || part.querySelector("details[open]") !== null;
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
    if (now !== null && !isInUse(part) && now.outerHTML !== part.outerHTML) {
      part.replaceWith(document.importNode(now, true));
    }
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

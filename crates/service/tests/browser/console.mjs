// Uses the console as a person does, with the keyboard, in a real browser, and takes a picture of each
// page. Everything that it needs to know is in the environment; it ends with 0 if all was as it should be.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const { SWAMPBOX_BROWSER, CONSOLE, SCREENSHOTS, APPROVER_KEY, OPERATOR_KEY, EXECUTION_TOKEN } = process.env;

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 375, height: 812 };

/** The pages of which pictures are taken, by the name of the picture. */
const PAGES = {
  overview: "/",
  consequences: "/consequences",
  released: "/consequences/deploy-1",
  uncertain: "/consequences/unsure",
  lineage: "/consequences/derived",
  hostile: "/consequences/hostile",
  executions: "/executions",
  quarantine: "/quarantine",
  ledger: "/ledger",
  refused: "/consequences/nothing",
};

const FOR_APPROVERS = {
  queue: "/decide",
  request: "/decide/waits",
  "request-last-page": "/decide/derived",
  "request-not-shown": "/decide/waits?page=3",
};

mkdirSync(SCREENSHOTS, { recursive: true });

const browser = await chromium.launch({
  executablePath: SWAMPBOX_BROWSER,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});

try {
  await decidesWithTheKeyboard();
  await decidesWithoutScripts();
  await seesWhatIsNewAndStaysWhereTheyAre();
  await isPictured();
} finally {
  await browser.close();
}

/** A page of a new browser in which nothing may go wrong unseen. */
async function opened(options) {
  const context = await browser.newContext({ baseURL: CONSOLE, viewport: WIDE, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("dialog", (dialog) => assert.fail(`a script has opened a dialog: ${dialog.message()}`));
  page.on("pageerror", (error) => assert.fail(`a script has failed: ${error}`));
  page.on("console", (message) => {
    const refused = message.text().includes("Content Security Policy");
    assert.ok(!refused, `something was not allowed: ${message.text()}`);
  });
  return page;
}

/** Presses Tab until what is meant has the focus, as somebody without a mouse does. */
async function tabTo(page, selector) {
  for (let press = 0; press < 100; press += 1) {
    await page.keyboard.press("Tab");
    const there = await page.evaluate(
      (selector) => document.activeElement?.matches(selector) ?? false,
      selector,
    );
    if (there) return;
  }
  assert.fail(`${selector} can't be reached with the keyboard`);
}

async function press(page, selector) {
  await tabTo(page, selector);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
}

async function logIn(page, key) {
  await page.goto("/login");
  // The field gets the focus by itself.
  await page.locator("#key:focus").waitFor();
  await page.keyboard.type(key);
  await Promise.all([page.waitForURL("/"), page.keyboard.press("Enter")]);
}

async function decidesWithTheKeyboard() {
  const page = await opened();
  await logIn(page, APPROVER_KEY);
  await press(page, 'nav a[href="/decide"]');
  await press(page, 'a[href="/decide/keyboard"]');
  let turned = 0;
  while ((await page.locator('a[rel="next"]').count()) > 0) {
    assert.equal(await page.locator("button.allow").count(), 0, "no button before the end");
    await press(page, 'a[rel="next"]');
    turned += 1;
  }
  assert.ok(turned >= 2, "there were pages to turn");
  await tabTo(page, "#reason");
  await page.keyboard.type("it is what was asked for");
  await tabTo(page, "#window");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("button.allow").count(), 1, "Enter in a field decides nothing");
  await press(page, "button.allow");
  assert.equal(new URL(page.url()).pathname, "/consequences/keyboard");
  // Who waits for the decision goes on, and the page shows it without being asked.
  await page.locator("#consequence .facts .state.released").waitFor();
  await page.screenshot({ path: join(SCREENSHOTS, "allowed-light.png"), fullPage: true });
  await press(page, ".who button");
  assert.equal(new URL(page.url()).pathname, "/login");
  await page.context().close();
}

async function decidesWithoutScripts() {
  const page = await opened({ javaScriptEnabled: false });
  await page.goto("/login");
  await page.fill("#key", APPROVER_KEY);
  await Promise.all([page.waitForURL("/"), page.click('button[type="submit"]')]);
  await page.goto("/decide/plain");
  await page.fill("#reason", "not now");
  await page.click("button.deny");
  await page.getByText("It is denied.").waitFor();
  await page.context().close();
}

/** Asks the service for something as the execution whose consequences these are. */
async function ask(path, body) {
  const answer = await fetch(`${CONSOLE}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${EXECUTION_TOKEN}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
}

/** Something that waits for a decision. */
async function propose(id) {
  const payload = { path: `${id}.txt`, content: "hello\n", expected_sha256: null };
  const proposal = { consequence_id: id, consequence_type: "file.write", target: "files", payload };
  await ask("/v1/consequences", proposal);
  await ask(`/v1/consequences/${id}/release`);
}

/** Where the focus is: the link, or else the id of whatever has it. */
function focused(page) {
  const told = () => document.activeElement.getAttribute("href") ?? document.activeElement.id;
  return page.evaluate(told);
}

async function seesWhatIsNewAndStaysWhereTheyAre() {
  await propose("goes");
  const page = await opened();
  await logIn(page, APPROVER_KEY);
  await press(page, 'nav a[href="/decide"]');
  await tabTo(page, 'a[href="/decide/goes"]');
  await propose("comes");
  await page.locator('#queue a[href="/decide/comes"]').waitFor();
  assert.equal(await focused(page), "/decide/goes", "what is new takes the focus away");
  await page.keyboard.press("Shift+Tab");
  assert.notEqual(await focused(page), "/decide/goes", "the focus is no longer in its place");
  await tabTo(page, 'a[href="/decide/goes"]');
  // What they stand on goes away, and they stay in the list.
  await ask("/v1/approvals/goes/withdraw");
  await page.locator('a[href="/decide/goes"]').waitFor({ state: "detached" });
  assert.equal(await focused(page), "queue");
  await propose("comes-later");
  await page.locator('#queue a[href="/decide/comes-later"]').waitFor();
  await page.keyboard.press("Tab");
  assert.match(await focused(page), /^\/decide\/./, "the next Tab goes on in the list");

  await page.goto("/consequences/comes");
  const before = await page.locator("#history .timeline > li").count();
  await ask("/v1/approvals/comes/withdraw");
  await page.locator(`#history .timeline > li:nth-child(${before + 1})`).waitFor();
  // What somebody has opened stays open.
  await tabTo(page, "#history summary");
  await page.keyboard.press("Enter");
  await ask("/v1/consequences/comes/release");
  await page.getByText("It is open.").waitFor();
  assert.equal(await page.locator("#history details[open]").count(), 1);
  await ask("/v1/approvals/comes/withdraw");
  await ask("/v1/approvals/comes-later/withdraw");
  await page.context().close();
}

async function isPictured() {
  const looks = [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["phone", { colorScheme: "light", viewport: PHONE, deviceScaleFactor: 2 }],
    ["phone-dark", { colorScheme: "dark", viewport: PHONE, deviceScaleFactor: 2 }],
  ];
  for (const [look, options] of looks) {
    const page = await opened(options);
    await page.goto("/login");
    await picture(page, `login-${look}`);
    await logIn(page, OPERATOR_KEY);
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(path);
      await picture(page, `${name}-${look}`);
    }
    await page.goto("/ledger");
    await Promise.all([page.waitForNavigation(), page.click('form[action="/ledger/verify"] button')]);
    await page.getByText("The ledger is what its history says.").waitFor();
    await picture(page, `verified-${look}`);
    await Promise.all([page.waitForURL("/login"), page.click(".who button")]);
    await logIn(page, APPROVER_KEY);
    for (const [name, path] of Object.entries(FOR_APPROVERS)) {
      await page.goto(path);
      await picture(page, `${name}-${look}`);
    }
    await page.context().close();
  }
}

/** Takes a picture, and looks for what a picture may not show. */
async function picture(page, name) {
  const { wide, unnamed } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    unnamed: [...document.querySelectorAll("input:not([type=hidden]), select, textarea")].filter(
      (field) => field.labels.length === 0,
    ).length,
  }));
  assert.ok(wide <= 0, `${name} is ${wide} px wider than the window`);
  assert.equal(unnamed, 0, `${name} has a field without a label`);
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

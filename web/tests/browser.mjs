// A page of out/web in a headless Chromium, opened as a file: no server, and every request to a network is an error.
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

/** Opens a page; `problems` collects errors of scripts and requests that leave the page. */
export async function open(browser, file, { hash = "", width = 1280, height = 720, ready = true, ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, ...more }), page = await context.newPage(), problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => /^(file|data|blob):/.test(request.url()) || problems.push(`asks for ${request.url()}`));
  await page.goto(pathToFileURL(file).href + (hash ? `#${hash}` : ""));
  if (ready) await page.waitForSelector("body[data-ready=yes]", { timeout: 60000 });
  if (ready) await page.evaluate(() => document.getElementById("how")?.setAttribute("open", "")); // settings fold away for people
  return { page, problems, close: () => context.close() };
}

// node web/bench/run.mjs PAGE [--json]: opens the page of figures in Chromium and prints them.
import { launch, open } from "../tests/browser.mjs";

const [file, mode] = process.argv.slice(2), browser = await launch();
const { page, problems } = await open(browser, file, { ready: false });
await page.waitForFunction(() => globalThis.report, null, { timeout: 300000 });
const report = await page.evaluate(() => globalThis.report);
console.log(mode === "--json" ? JSON.stringify(report) : (await page.textContent("#out")).trimEnd());
if (report.error || problems.length) {
  console.error(`web: ${report.error ?? problems[0]}`);
  process.exitCode = 1;
}
await browser.close();

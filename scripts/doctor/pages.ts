/** Loads the page of the web app and one of its scripts, and checks their headers for browsers and caches. */
import { sendPatiently } from "../../client/src/retry.ts";
import { messageOf } from "../cli/userError.ts";
import { proxyHeaders } from "../cloud/proxyHeaders.ts";
import type { Stage } from "../cloud/stage.ts";
import { type Check, ok, type Result, wrong } from "./findings.ts";

const TIMEOUT_MS = 30_000;
const what = "pages";

type Fetch = (url: string, options: { signal: AbortSignal }) => Promise<Response>;

/** The text that each header must contain, by the header's name. */
type Expected = Readonly<Record<string, string>>;

const SECURE: Expected = {
  "content-security-policy": "default-src 'none'",
  "strict-transport-security": "max-age=",
  "x-content-type-options": "nosniff",
  // Another service at this address does not send it.
  "x-request-id": "",
};
// A browser must revalidate a page before it shows it, but a script never changes.
const PAGE: Expected = { ...SECURE, "content-type": "text/html", "cache-control": "no-cache" };
const ASSET: Expected = { ...SECURE, "content-type": "text/javascript", "cache-control": "immutable" };

const SCRIPT = /"(\/app\/assets\/[\w.-]+\.js)"/;

const faultsOf = ({ status, headers }: Response, expected: Expected): string[] => [
  ...(status === 200 ? [] : [`the status is ${status}`]),
  ...Object.entries(expected).flatMap(([name, part]) => {
    const value = headers.get(name);
    if (value?.includes(part) === true) return [];
    return [value === null ? `there is no ${name}` : `${name} is ${value}`];
  }),
];

/**
 * Checks the page and the script that it loads first.
 * @param base the address that players open
 */
export const pageFindings = async (
  { options }: Pick<Stage, "options">,
  base: string,
  load: Fetch,
): Promise<Result[]> => {
  const get = (path: string): Promise<Response> =>
    sendPatiently(() => load(`${base}${path}`, { signal: AbortSignal.timeout(TIMEOUT_MS) }));
  const faulty = (path: string, faults: readonly string[]): Result =>
    wrong(
      `${base}${path}: ${faults.join("; ")}.`,
      `npm run logs -- ${options} --function ${path === "/" ? "home" : "app"} --since 5m, or deploy again.`,
    );
  let path = "/";
  try {
    const page = await get(path);
    const html = await page.text();
    const faults = faultsOf(page, PAGE);
    const [, script] = SCRIPT.exec(html) ?? [];
    if (faults.length === 0 && script === undefined) faults.push("it names no script");
    if (faults.length > 0 || script === undefined) return [faulty(path, faults)];
    path = script;
    const asset = await get(path);
    await asset.arrayBuffer();
    const assetFaults = faultsOf(asset, ASSET);
    return assetFaults.length > 0
      ? [faulty(path, assetFaults)]
      : [ok(`The web app loads at ${base}/, and its scripts may be cached for a year.`)];
  } catch (error) {
    return [faulty(path, [messageOf(error instanceof Error ? (error.cause ?? error) : error)])];
  }
};

/** The check of the web app. @param base the address that players open */
export const pageCheck = (stage: Stage, base: string): Check => ({
  what,
  run: () => pageFindings(stage, base, (url, options) => fetch(url, { ...options, headers: proxyHeaders() })),
});

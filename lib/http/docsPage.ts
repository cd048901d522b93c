/** The page that shows the API document, with Scalar. Everything is served by the service itself. */
import { createHash } from "node:crypto";
import { fileOf, type StaticFile } from "./staticFile.ts";

/** The version of Scalar, which `npm ci` fetches. */
export const SCALAR_VERSION = "1.72.1";

/** The code that starts Scalar. It calls no other service. */
const START = `
// Earlier versions of this page stored the tokens that were typed in it.
for (const name of Object.keys(localStorage))
  if (name.startsWith("scalar-reference-auth")) localStorage.removeItem(name);
Scalar.createApiReference("#app", {
  url: "/openapi.json",
  // The document's own server is "/", to which Scalar would append a path as "//new".
  servers: [{ url: location.origin }],
  withDefaultFonts: false,
  telemetry: false,
  // A token that is typed here stays in the page: a logout ends neither it nor what a browser stores.
  persistAuth: false,
  // Without a token, Scalar would send an empty one, which wins over the cookie.
  authentication: { preferredSecurityScheme: "session" },
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  // Removes the focus outline of a linked section, and on small screens a button that covers the URL of a request.
  customCss:
    ".section:focus { outline: none } @media (max-width: 767px) { main > .scalar-sidebar-toggle { display: none } }",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Humans vs Zombies: API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="app"></div>
<script src="/docs/scalar.js?v=${SCALAR_VERSION}"></script>
<script>${START}</script>
</body>
</html>
`;

/**
 * Nothing may be loaded from or sent to another origin. Scalar sets inline styles, so these are allowed; of inline
 * scripts only the page's own, by its hash.
 */
const POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash("sha256").update(START).digest("base64")}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

let page: StaticFile | undefined;

export const docsPage = (): StaticFile => {
  page ??= fileOf(Buffer.from(PAGE), "text/html; charset=utf-8", {
    "cache-control": "public, no-cache",
    "content-security-policy": POLICY,
  });
  return page;
};

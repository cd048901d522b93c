/** The page that shows the API document, with Scalar. Everything is served by the service itself. */
import { sha256 } from "../runtime/sha256.ts";
import type { HttpResponse } from "./responses.ts";
import { textResponse } from "./responses.ts";

/** The version of Scalar, which `npm ci` fetches. */
export const SCALAR_VERSION = "1.72.1";

/** The code that starts Scalar. It keeps the login, and calls no other service. */
export const START = `
Scalar.createApiReference("#app", {
  url: "/openapi.json",
  // The document's own server is "/", to which Scalar would append a path as "//new".
  servers: [{ url: location.origin }],
  withDefaultFonts: false,
  telemetry: false,
  persistAuth: true,
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

/** The version of the script in its URL. It changes with Scalar and with {@link START}. */
export const SCRIPT_VERSION = `${SCALAR_VERSION}-${sha256(START).slice(0, 12)}`;

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
<script src="/docs/scalar.js?v=${SCRIPT_VERSION}"></script>
</body>
</html>
`;

/**
 * Nothing may be loaded from or sent to another origin. Scalar sets inline styles, so these are allowed; inline scripts
 * are not.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const docsPage = (): HttpResponse =>
  textResponse(PAGE, "text/html; charset=utf-8", {
    "cache-control": "public, no-cache",
    "content-security-policy": POLICY,
    etag: `"${sha256(PAGE)}"`,
  });

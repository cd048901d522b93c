/** The pages of the web app to which the service leads: from pushes, mails, the inbox and redirects. */

/** Where the web app is served. */
export const APP = "/app/";

/** The table of the web app's own links, `web/src/paths.ts`, contains this one. */
export const PAGES = {
  me: `${APP}me`,
  tag: `${APP}tag`,
  feed: `${APP}feed`,
  checkpoint: `${APP}checkpoint`,
  inbox: `${APP}inbox`,
  missions: `${APP}missions`,
  profile: `${APP}profile`,
  confirm: `${APP}confirm`,
  recover: `${APP}recover`,
  unsubscribe: `${APP}unsubscribe`,
  now: `${APP}gm/now`,
} as const;

/** The address in `List-Unsubscribe`. With GET it leads to the page `unsubscribe`, with POST it does what that page does. */
export const UNSUBSCRIBE = "/unsubscribe_email";

/** In place of the token in a link that shows how a mail looks, and does not work. */
export const SAMPLE_TOKEN = "sample";

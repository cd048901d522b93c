/** The pages of the web app to which the service leads: from pushes, the inbox and redirects. */

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
  unsubscribe: `${APP}unsubscribe`,
  now: `${APP}gm/now`,
} as const;

/** The addresses of all pages. Routes, navigation and links derive from them. */
import { APP, PAGES } from "../../lib/domain/notifications/pages.ts";
import { IN_ADDRESS } from "../../lib/domain/rewards/rewardCode.ts";

export { APP };

const { now, ...ofPlayers } = PAGES;

/** The pages that the navigation of game masters leads to. */
const gmPages = {
  now,
  find: `${APP}gm/find`,
  desk: `${APP}gm/desk`,
  disputes: `${APP}gm/disputes`,
  game: `${APP}gm/game`,
  missions: `${APP}gm/missions`,
  checkpoint: `${APP}gm/checkpoint`,
  codes: `${APP}gm/codes`,
  send: `${APP}gm/send`,
  players: `${APP}gm/players`,
  readiness: `${APP}gm/readiness`,
  log: `${APP}gm/log`,
  print: `${APP}gm/print`,
  import: `${APP}gm/import`,
  invitations: `${APP}gm/invitations`,
  webhooks: `${APP}gm/webhooks`,
  mail: `${APP}gm/mail`,
  outbox: `${APP}gm/outbox`,
  sql: `${APP}gm/sql`,
};

/** The sections of the settings, each with an address, in the order of their links. */
export const GAME_SECTIONS = [
  ...(["schedule", "registration", "originals", "rules"] as const),
  "waiver" as const,
  ...(["texts", "awards", "bans", "season"] as const),
];
export type GameSection = (typeof GAME_SECTIONS)[number];

export type GmPageName = keyof typeof gmPages;

export const paths = {
  ...ofPlayers,
  landing: "/",
  join: `${APP}join`,
  login: `${APP}login`,
  forgotten: `${APP}forgotten`,
  setUp: `${APP}setup`,
  board: `${APP}board`,
  rules: `${APP}rules`,
  waiver: `${APP}waiver`,
  outbreak: `${APP}outbreak`,
  players: `${APP}players`,
  screen: `${APP}screen`,
  seasons: `${APP}seasons`,
  season: (id: string) => `${APP}seasons/${id}`,
  player: (ref: string) => `${APP}players/${ref}`,
  outbreakOf: (ref: string) => `${APP}outbreak?player=${ref}`,
  /** @param code the join code; `null` where none is needed */
  joinWith: (code: string | null) => `${APP}join${code === null ? "" : `?code=${encodeURIComponent(code)}`}`,
  loginBefore: (path: string) => `${APP}login?to=${encodeURIComponent(path)}`,
  /** The fragment is sent to no service, so that no log has the secret. */
  setUpWith: (secret: string) => `${APP}setup#${secret}`,
  recoverWith: (alias: string, code: string) => `${APP}recover?${new URLSearchParams({ alias, code })}`,
  /** What the QR code of a slip leads to. */
  tagWith: (code: string) => `${ofPlayers.tag}${IN_ADDRESS}${code}`,
  gmPage: (page: string) => `${APP}gm/${page}`,
  gm: {
    ...gmPages,
    newMission: `${APP}gm/missions/new`,
    mission: (id: string) => `${APP}gm/missions/${id}`,
    section: (name: GameSection) => `${APP}gm/game/${name}`,
    player: (ref: string) => `${APP}gm/players/${ref}`,
    playersBelow: (missions: number) => `${APP}gm/players?missions_below=${missions}`,
    batch: (id: string) => `${APP}gm/codes/${id}`,
    sheetOf: (id: string) => `${APP}gm/print?batch=${id}`,
    findFor: (q: string) => `${APP}gm/find?q=${encodeURIComponent(q)}`,
  },
};

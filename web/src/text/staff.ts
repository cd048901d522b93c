/** The English texts of the game masters' pages. */
import { byCounter, counterOf, TAKING_PART } from "../../../lib/domain/players/states.ts";
import type { GameSection } from "../paths.ts";
import type {
  Audience,
  Checkpoint,
  CommandAction,
  Effect,
  LogEntry,
  Mission,
  ReadAction,
  Result,
  State,
} from "../schemas.ts";
import { en, periodText } from "./en.ts";
import { zoneText } from "./zoned.ts";

type Imported = Result<"import_players">;

const NUMBER = new Intl.NumberFormat("en");
const TIME = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });

const count = (n: number, one: string, many = `${one}s`): string =>
  `${NUMBER.format(n)} ${n === 1 ? one : many}`;

const tags = (n: number): string => count(n, "tag");

/** Lists names out of `all`: `Ada, Ben and 3 more`. */
const namesText = (names: readonly string[], all: number): string =>
  `${names.join(", ")}${all > names.length ? ` and ${all - names.length} more` : ""}`;

/** Ends a sentence that ends with words of somebody else, which may have a full stop of their own. */
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** @param many the number of voided tags with this effect on the player @param cause what is taken back */
const EFFECTS: Readonly<
  Record<Effect["effect"], (whom: string, many: number, cause: "tag" | "code") => string>
> = {
  human_again: (whom) => `${whom} is human again, with a new tag code.`,
  kill_taken_back: (whom, many) => `${whom} loses ${many === 1 ? "this tag" : tags(many)}.`,
  meal_taken_back: (whom, _, cause) => `${whom} loses the time that this ${cause} gave.`,
  meal_kept: (whom, _, cause) => `${whom} keeps the time that this ${cause} gave.`,
  starved: (whom, _, cause) => `${whom} has starved without this ${cause}, and is a corpse.`,
  stays_zombie: (whom) => `${whom}, tagged by them since, stays a zombie.`,
  zombie_again: (whom) => `${whom} is a zombie again, with the time that was left.`,
  points_taken_back: (whom) => `${whom} loses the points.`,
  badge_taken_back: (whom) => `${whom} loses the badge.`,
  unchanged: (whom) => `${whom} stays as they are.`,
};

/** Lists parts of a sentence: `a, b and c`. */
const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

const firstUpper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The sides to whom a mission can be known, in a sentence. */
const SIDE_NAMES: Readonly<Record<Mission["briefings"][number]["audience"], string>> = {
  all: "everybody",
  humans: "humans",
  zombies: "zombies",
  corpses: "corpses",
};

interface CommandTexts {
  button: string;
  /** What somebody did; `…` stands for the player whom it concerns. */
  log: string;
  [more: string]: unknown;
}

/** The commands, by action. Those on one player have the title of the dialog, its effect, and what has been done. */
const commands = {
  admit: {
    button: "Admit",
    log: "admitted …",
    title: (alias: string) => `Admit ${alias}`,
    effect: "They become human, and get their tag code.",
    done: (alias: string) => `${alias} plays now.`,
  },
  ban: {
    button: "Ban",
    log: "banned …",
    title: (alias: string) => `Ban ${alias}`,
    effects: [
      "They are logged out and cannot log in or register again with this alias. Whoever registers with their address, or what they were called before, waits for you.",
      "Their state in the game stays: take them out of play as well.",
    ],
    until: "Until (empty: for good)",
    done: (alias: string) => `${alias} is banned.`,
  },
  close_mission: { button: "Close the mission", log: "closed a mission" },
  comment_dispute: { button: "Comment", log: "commented on a dispute" },
  corpsify: {
    button: "Kill",
    log: "killed …",
    title: (alias: string) => `Kill ${alias}`,
    effect: "They become a corpse and are out, until somebody revives them.",
    code: "Their tag code no longer works.",
    done: (alias: string) => `${alias} is a corpse.`,
  },
  create_codes: { button: "Make codes", log: "made codes" },
  cure: {
    button: "Cure",
    log: "cured …",
    title: (alias: string) => `Cure ${alias}`,
    effect: "They become human again, with a new tag code.",
    kills: "Their tags so far still count.",
    done: (alias: string) => `${alias} is human again.`,
  },
  draw_originals: { button: "Draw", log: "drew original zombies" },
  edit_player: {
    button: "Edit",
    log: "edited …",
    title: (alias: string) => `Edit ${alias}`,
    note: "Note and labels",
    noteTitle: (alias: string) => `Note and labels of ${alias}`,
    done: (alias: string) => `${alias} is changed.`,
    alias: "Alias",
    firstName: "First name",
    lastName: "Last name",
    email: "E-mail address",
    clearPicture: "Remove the picture",
    role: "Change role",
    roleTitle: (alias: string) => `Change the role of ${alias}`,
    roleEffect: {
      player: "They only play.",
      moderator: "They find players, check them in, feed one player and comment on disputes. Nothing else.",
      game_master: "They may do everything that you may do, including taking your role away.",
    },
    roleDone: (alias: string, role: string) => `${alias} is a ${role} now.`,
  },
  enforce_missions: { button: "Enforce", log: "enforced the required missions" },
  feed_group: { button: "Feed them", log: "fed a group" },
  feed_player: {
    button: "Feed",
    log: "fed …",
    title: (alias: string) => `Feed ${alias}`,
    effect: (period: string) => `They have at least ${period} of play time from now.`,
    done: (alias: string) => `${alias} is fed.`,
  },
  finish_season: { button: "Finish the season", log: "finished the season" },
  hunt: {
    button: "Enter a tag",
    log: "entered a tag by …",
    title: (alias: string) => `Enter a tag by ${alias}`,
    taggedBy: "Was tagged by …",
    taggedByTitle: (alias: string) => `Enter a tag of ${alias}`,
    hunter: "Alias of the zombie who tagged them",
    prey: "Alias of the human who was tagged",
    at: "When it happened (empty: just now)",
    effects: [
      "The human becomes a zombie; the hunter gets the tag and is fed.",
      "Everybody sees that a game master entered it.",
    ],
    done: (hunter: string, prey: string) => `${prey} was tagged by ${hunter}.`,
  },
  import_players: { button: "Import", log: "imported players" },
  inject_sql: { button: "Run", log: "ran a statement" },
  kill_all_not_at_checkpoint: { button: "Enforce", log: "enforced the checkpoint" },
  label: { button: "Add the label", log: "labelled players" },
  lift_lockout: {
    button: "Lift lock-out",
    log: "lifted the lock-out of …",
    title: (alias: string) => `Lift the lock-out of ${alias}`,
    effect: "They can enter tag codes again after too many wrong ones.",
    done: (alias: string) => `${alias} can enter tag codes.`,
  },
  lift_suppression: { button: "Send mail there again", log: "let mail go to … again" },
  make_spectator: {
    button: "Take out of play",
    log: "took … out of play",
    title: (alias: string) => `Take ${alias} out of play`,
    effect: "They only watch, and keep their record. A revival brings them back.",
    done: (alias: string) => `${alias} watches now.`,
  },
  mission_attendance: { button: "Enter attendance", log: "entered attendance of a mission" },
  mission_picture: { button: "Set the picture", log: "set the picture of a mission" },
  name_hunter: { button: "Name the hunter", log: "named … as the hunter of a tag" },
  new_tag_code: {
    button: "New tag code",
    log: "replaced the tag code of …",
    title: (alias: string) => `Replace the tag code of ${alias}`,
    effect: "The old code stops working at once. They see the new one in their app.",
    done: (alias: string) => `${alias} has a new tag code.`,
  },
  paper_signature: { button: "Enter a paper", log: "entered the signature of …" },
  pause_game: { button: "Pause the game", log: "paused the game" },
  player_at_checkpoint: {
    button: "Check in",
    log: "checked … in",
    title: (alias: string, name: string) => `Check ${alias} in at ${name}`,
    effect: "They survive when the checkpoint is enforced.",
    done: (alias: string) => `${alias} is checked in.`,
  },
  recover_password: {
    button: "Recovery code",
    log: "issued a recovery code for …",
    title: (alias: string) => `Recovery code for ${alias}`,
    effect: "They can set a new password with it, once, within an hour. Make sure that it is really them.",
    submit: "Issue a code",
    done: (alias: string) => `Read this to ${alias}`,
  },
  remove_player: {
    button: "Delete account",
    log: "deleted the account of …",
    title: (alias: string) => `Delete the account of ${alias}`,
    effect: "Names, address, picture, note and sessions are gone for good. Their tags stay, without a name.",
    done: (alias: string) => `The account of ${alias} is deleted.`,
  },
  reopen_season: { button: "Reopen the season", log: "reopened the season" },
  reset_season: { button: "Begin a new season", log: "began a new season" },
  reopen_mission: { button: "Reopen", log: "reopened a mission" },
  resolve_dispute: { button: "Let the tag stand", log: "resolved a dispute" },
  resume_game: { button: "Resume the game", log: "resumed the game" },
  revive_all: { button: "Revive them as humans", log: "revived a group" },
  revive_h: {
    button: "Revive as a human",
    log: "revived … as a human",
    title: (alias: string) => `Revive ${alias} as a human`,
    effect: "They play again as a human, with a new tag code.",
    done: (alias: string) => `${alias} plays as a human.`,
  },
  revive_z: {
    button: "Revive as a zombie",
    log: "revived … as a zombie",
    title: (alias: string) => `Revive ${alias} as a zombie`,
    effect: (period: string) => `They become an original zombie with ${period} of play time.`,
    done: (alias: string) => `${alias} plays as a zombie.`,
  },
  revoke_codes: { button: "Revoke", log: "revoked codes" },
  send: { button: "Send", log: "sent a message" },
  send_invitations: { button: "Send invitations", log: "sent invitations by mail" },
  send_mail: { button: "Send again", log: "sent a mail to …" },
  set_checkpoint: { button: "Set the checkpoint", log: "set the checkpoint" },
  set_mission: { button: "Set the mission", log: "set a mission" },
  settings: { button: "Save", log: "changed settings" },
  show_secrets: {
    button: "Show code",
    log: "was shown the tag code and the true state of …",
    title: (alias: string) => `Show the tag code of ${alias}`,
    effects: [
      "You are out of play, until the season ends or another game master brings you back.",
      "From then on you see all tag codes, and who is a hidden original zombie.",
      "The log says whose code you were shown.",
    ],
    submit: "Show it and leave play",
    done: (alias: string) => `The tag code of ${alias}`,
    original: (alias: string) => `${alias} is a hidden original zombie.`,
  },
  unban: { button: "Lift the ban", log: "lifted a ban" },
  undo_checkpoint: { button: "Undo", log: "undid a checkpoint" },
  undo_redemption: { button: "Undo", log: "took back what … got by a code" },
  void_hunt: { button: "Void the tag", log: "voided a tag" },
  void_hunts: { button: "Void these tags", log: "voided several tags" },
  withdraw: { button: "Withdraw", log: "withdrew a message" },
  zombies_add_day: { button: "Add a day", log: "added a day" },
} satisfies Record<CommandAction, CommandTexts>;

/** What else somebody or the service did, as entries of the log say it. */
const otherLogs = {
  alerts: "looked at the alerts",
  archive: "read the archive",
  bans: "looked at the bans",
  change_password: "changed the password of …",
  codes: "looked at the codes",
  delete_player: "left the game",
  deliver: "The service delivered a message",
  disputes: "looked at the disputes",
  enrol: "enrolled …",
  feed: "fed the hungriest zombies",
  find: "looked for players",
  get_logs: "looked at the log",
  get_players: "looked at the players",
  login: "logged in",
  mail: "looked at the mails",
  of_age: "let … play, who is of age",
  player_count: "counted the players",
  readiness: "read who is ready to play",
  signatures: "read signatures of the waiver",
  season: "looked at the new season",
  status: "looked at a message",
  sweep: "The service recorded starved zombies",
  webhook_off: "The service switched off a webhook",
} satisfies Record<Exclude<ReadAction, CommandAction>, string> & Record<string, string>;

/** How many devices a message goes to; absent where that is hidden. */
type Delivery = Partial<
  Record<"subscriptions" | "sent" | "failed" | "expired" | "queued", number | undefined>
>;

const TEST = "Send me a test";

/** What a signature tells game masters. */
interface SignedFacts {
  full_name: string;
  alias: string | null;
  guardian_name: string | null;
  signed_at: string;
  version: string;
  counts: boolean;
  on_paper: boolean;
  photo_consent: boolean | null;
  deleted_at: string | null;
  birth_date?: string | null | undefined;
  emergency_contact?: string | null | undefined;
  address?: string | null | undefined;
}

/** What a new season renews and removes. */
export interface SeasonCounts {
  humans: number;
  unenrolled: number;
  removed: Readonly<Record<string, number>>;
}

const REMOVED: Readonly<Record<string, readonly [one: string, several: string]>> = {
  hunt: ["tag", "tags"],
  dispute: ["dispute", "disputes"],
  event: ["other event", "other events"],
  note: ["note of a player", "notes of players"],
  message: ["message", "messages"],
  log: ["entry of the log", "entries of the log"],
  code: ["tag code", "tag codes"],
};

const removedText = (removed: SeasonCounts["removed"]): string =>
  Object.entries(REMOVED)
    .flatMap(([kind, [one, several]]) => {
      const n = removed[kind] ?? 0;
      return n === 0 ? [] : [count(n, one, several)];
    })
    .join(", ") || "nothing";

const logText = (action: string): string | undefined => {
  const texts: Readonly<Record<string, CommandTexts | undefined>> = commands;
  const others: Readonly<Record<string, string | undefined>> = otherLogs;
  return texts[action]?.log ?? others[action];
};

/** What somebody did who is the one whom it concerns, where "themselves" would be no sentence. */
const OWN_ACTIONS: Readonly<Record<string, string>> = {
  change_password: "changed their password",
  delete_player: "left the game",
  enrol: "enrolled",
  login: "logged in",
  new_tag_code: "replaced their own tag code",
  recover_password: "issued a recovery code for themselves",
  remove_player: "deleted their own account",
};

/** What somebody does about their own account without a session. */
const WITHOUT_SESSION = new Set(["change_password", "delete_player", "login"]);

/** What the service does by itself. The texts of these actions are whole sentences. */
const BY_SERVICE = new Set(["sweep", "deliver", "webhook_off"]);

/** The outcome for players who miss a checkpoint. */
const FATES = {
  corpse: (n: number): string => (n === 1 ? "a corpse" : "corpses"),
  zombie: (n: number): string => (n === 1 ? "a new zombie" : "new zombies"),
};

/** An entry of the log as a sentence. */
const sentenceOf = ({ action, actor, target, details, outcome }: LogEntry): string => {
  if (BY_SERVICE.has(action)) return logText(action) ?? action;
  // Without a session, the account that was tried is the one who acts.
  const isOwn = actor === null ? WITHOUT_SESSION.has(action) : actor === target;
  const own = isOwn ? OWN_ACTIONS[action] : undefined;
  const subject = actor ?? (own === undefined ? null : target) ?? "Somebody";
  const whom = target === null ? "a player" : target === actor ? "themselves" : target;
  const text = own ?? (logText(action) ?? action.replaceAll("_", " ")).replace("…", whom);
  // A change that was refused may have no details either.
  const isRead = action === "settings" && outcome === "done" && Object.keys(details).length === 0;
  const words = isRead ? "read the settings" : details.dry_run === true ? `made a dry run: ${text}` : text;
  return `${subject} ${words}`;
};

export const gm = {
  nav: {
    label: "Game masters' pages",
    now: "Now",
    find: "Find",
    desk: "Desk",
    disputes: "Disputes",
    checkpoint: "Checkpoint",
    missions: "Missions",
    codes: "Codes",
    game: "Settings",
    send: "Send",
    players: "Players",
    readiness: "Readiness",
    log: "Log",
    sql: "SQL",
    print: "Print",
    screen: "Big screen",
    own: "My own game",
    import: "Import",
    webhooks: "Webhooks",
    invitations: "Invitations",
    mail: "Mail",
    outbox: "Outbox",
    keys: "Keyboard shortcuts",
    groups: { live: "Live", people: "People", game: "Game", tools: "Tools" },
  },
  common: {
    wholeNumber: (min: number, max: number) =>
      `A whole number from ${NUMBER.format(min)} to ${NUMBER.format(max)}.`,
    reason: "Reason (optional)",
    why: "Reason",
    reasonHint: "For the log.",
    reasonShown: "For the log. The player sees it too.",
    cancel: "Cancel",
    close: "Close",
    dismiss: "Dismiss",
    copy: (text: string) => `Copy ${text}`,
    copied: "Copied.",
    notCopied: "The browser does not allow it. Select the text and copy it.",
    save: "Save",
    more: "Show more",
    gone: "a player who has left",
    nobodyCalled: (alias: string) => `Nobody is called ${alias}.`,
    whoIsMeant: "Who is meant",
    inZone: (zone: string) => `Local time of the game (${zoneText(zone)})`,
    players: (n: number) => count(n, "player"),
    none: "none",
    yes: "yes",
    no: "no",
  },
  /** Roles in a sentence. */
  roleNames: {
    player: "player",
    moderator: "moderator",
    game_master: "game master",
  },
  role: {
    player: "Player",
    moderator: "Moderator",
    game_master: "Game master",
  },
  time: {
    choose: "Choose which of the two you mean.",
    skipped: (local: string) =>
      `On ${local.slice(0, 10)} there is no ${local.slice(11)}: the clocks go forward over it. Take one of these instead:`,
    twice: (local: string) =>
      `On ${local.slice(0, 10)} the clocks go back and show ${local.slice(11)} twice. Which one?`,
    which: ["The first time", "The second time, after the change"],
  },
  zone: {
    none: "No zone has this name. Try the nearest big city.",
    hint: (zone: string, offset: string, own: string) =>
      `${offset} now. ${zone === own ? "This device has the same zone." : `This device is in ${zoneText(own)}.`}`,
  },
  changed: {
    title: "Somebody else has changed this",
    lead: "Your changes are not saved yet. Choose what to keep.",
    stored: "Stored now",
    yours: "Yours",
    keep: "Keep mine",
    take: "Take theirs",
    taken: "The stored settings stay.",
  },
  confirmation: {
    delay: (seconds: number) =>
      `It is sent after ${seconds} seconds. Until then you can take it back; closing the page takes it back too.`,
    waiting: (title: string, left: number) => `${title} in ${left} s`,
    takeBack: "Take it back",
    now: "Now",
  },
  now: {
    title: "Now",
    starving: "Who starves next",
    starvingEmpty: "No zombie is hungry.",
    starvingColumns: [
      ["player", "Player"],
      ["left", "Time left"],
      ["deadline", "Starves"],
      ["kills", "Tags"],
      ["actions", "Actions"],
    ] as const,
    attention: "Needs attention",
    nothing: "Nothing needs you right now.",
    disputes: (n: number, more: boolean) =>
      `${more ? `${n} or more` : n} open ${n === 1 && !more ? "dispute" : "disputes"}`,
    pending: (n: number, more: boolean) =>
      `${more ? `${n} or more` : n} ${n === 1 && !more ? "newcomer waits" : "newcomers wait"} to be admitted`,
    underAge: (aliases: string) => `Under age: ${aliases}.`,
    unfinished: "The game is over, and has no result",
    unfinishedText: "Say who has won, and give your awards. Everybody is told.",
    admitted: (n: number) => `${count(n, "newcomer plays", "newcomers play")} now.`,
    alert: (hunter: string, n: number) => `${hunter} tagged ${count(n, "newcomer")} from one address`,
    alertText: "They may be accounts that were made to be tagged, or friends who joined together.",
    held: (n: number) => `${count(n, "starvation waits", "starvations wait")} for a decision`,
    heldText: (ago: string) =>
      `More than an hour passed between two sweeps, or the clock of the service jumped. Starvations have been on hold for ${ago}. The operator of the service corrects the clock, or decides with npm run sweep -- --accept-gap (they starve) or --pause-gap (everybody gets that time back).`,
    sweepLate: (ago: string) => `No sweep for ${ago}`,
    sweepLateText:
      "One runs each minute: it records starvations, warns zombies and sends what is scheduled. Nothing is lost, but it is late. Tell the operator of the service.",
    undelivered: (title: string, ago: string) => `“${title}” has been on its way for ${ago}`,
    undeliveredText: "The queue of messages is behind, or push services do not answer.",
    lateTag: (hunter: string, prey: string) => `${hunter} lives again: the tag of ${prey} arrived late`,
    lateTagText: (happened: string, arrived: string, starved: string) =>
      `It happened ${happened}, and arrived ${arrived}. The hunter had starved ${starved}.`,
    voided: (n: number) => `${count(n, "tag is", "tags are")} void.`,
    chart: "Over time",
    done: "Latest commands",
    doneEmpty: "No commands yet.",
    checkpoint: "Checkpoint",
    closes: (when: string) => `closes ${when}`,
    enforced: "enforced",
  },
  checklist: {
    title: (open: number) =>
      open === 0 ? "Everything is set up" : `Before the start: ${count(open, "thing")} to do`,
    items: {
      texts: ["Name and rules", "Everybody can read them, also before they join."],
      zone: ["Time zone", "It is UTC. Start, end and play hours are in it."],
      dates: ["Start and end", "Without a start, the game begins with the first zombie."],
      hours: ["Play hours", "Now the game is played day and night."],
      players: ["Who may join", "Nobody has joined yet. Share the link, print posters, or import a list."],
      helpers: ["Helpers", "Open a player who has joined, and make them a moderator or a game master."],
      originals: ["Original zombies", "Hide them or not, and draw them among the volunteers."],
      test: [
        "A test message to yourself",
        "Turn on notifications in your profile; then send yourself one from here.",
      ],
    } satisfies Record<string, readonly [title: string, how: string]>,
    states: { done: "Done.", open: "To do.", skipped: "Skipped." },
    skip: "Skip",
    skipOne: (title: string) => `Skip: ${title}`,
    unskip: "Take back",
    unskipOne: (title: string) => `Take back: ${title}`,
    invitation: "Link and QR code for players",
    here: "To try it, open this in another browser of this machine:",
    test: "Send me a test message",
    testEffects: [
      "Your devices get it, and no one else's.",
      "For that you get the label test-message, which you can remove.",
    ],
    testTitle: "Test message",
    testContent: "Notifications reach this device.",
    tested: "Sent. It arrives within seconds.",
  },
  review: {
    newcomer: "Who registered",
    departed: "Who left",
    registered: (when: string) => `registered ${when}`,
    left: (when: string) => `left ${when}`,
    same: { alias: "The alias is the same.", address: "The address is the same. Nobody has confirmed it." },
    sameConfirmed: "The address is the same, and was confirmed by them.",
    returns: (alias: string) => `Is ${alias} a player who left?`,
    unsure: (alias: string) => `Is ${alias} who they say?`,
    waits: "Waits until you decide.",
    plays: "Plays on until you decide.",
    atThen: (state: string) => `${state} then`,
    byNow: (state: string) => `${state} by now, as if they had stayed`,
    starves: (when: string) => `starves ${when}`,
    kills: (n: number) => count(n, "tag"),
    tagged: (by: string) => `tagged by ${by}`,
    banned: (alias: string | null) => `${alias ?? "Somebody"} is banned`,
    bannedUntil: (when: string) => `until ${when}`,
    inUse: (alias: string | null) => `${alias ?? "Somebody else"} has this address`,
    person: (state: string, starves: string | null) =>
      `Same person: back as ${state}${starves === null ? "" : `, starves ${starves}`}`,
    other: "Somebody else: play as a new human",
    play: "Let them play as a new human",
    more: (n: number) => `They may also be ${count(n, "other player", "other players")} who left.`,
    close: "Let them play on",
    returned: (alias: string, state: string) => `${alias} is back as ${state}.`,
    admitted: (alias: string) => `${alias} plays as a new human.`,
    closed: (alias: string) => `${alias} plays on.`,
  },
  actions: (entry: LogEntry): string => {
    // A mission or a message, a batch of codes or a label, a checkpoint.
    const { title, label, name } = entry.details;
    const what = [title, label, name].find((one) => typeof one === "string");
    return `${sentenceOf(entry)}${what === undefined ? "" : `: ${what}`}`;
  },
  find: {
    title: "Find",
    label: "Alias, name, address or tag code",
    labelModerator: "Alias, first name or tag code",
    hint: "The beginning of each word is enough. Enter opens the first.",
    empty: (q: string) => `Nobody is found for “${q}”.`,
    more: "There are more. Type another letter.",
    start: "Whom are you looking for?",
  },
  player: {
    back: "Find somebody else",
    unknown: "There is no such player any more.",
    name: "Name",
    email: "Address",
    code: "Tag code",
    codeHidden: "hidden while you play",
    kills: "Tags",
    by: "Tagged by",
    since: "Zombie since",
    starves: "Starves",
    never: "not before the end",
    fed: "Last fed",
    passed: "At the checkpoint",
    joined: "Joined",
    role: "Role",
    shownAs: (state: string) => `Others see a ${state}: a hidden original zombie.`,
    original: "Wants to be an original zombie",
    note: "Note",
    labels: "Labels",
    labelsHint: "Words of letters, digits, - and _, with spaces between them",
    noteHint: "Only game masters see it.",
    history: "History",
    historyEmpty: "Nothing has happened to them yet.",
    state: "In the game",
    account: "Account",
    volunteer: "yes",
  },
  commands,
  push: "They get a push notification if they have turned it on.",
  disputes: {
    title: "Disputes",
    open: "Open",
    void: "Voided",
    stands: "Stands",
    which: "Show",
    empty: "There are no such disputes.",
    speaksAs: (side: "hunter" | "prey") =>
      side === "hunter" ? "says as the hunter" : "says as the one who was tagged",
    noStatement: (side: "hunter" | "prey") =>
      side === "hunter"
        ? "The hunter has not said anything yet."
        : "The one who was tagged has not said anything yet.",
    authorLeft: "Deleted, because the author has left.",
    comments: "Comments",
    comment: "Comment for game masters and moderators",
    voidTitle: (hunter: string | null) => (hunter === null ? "Void this tag" : `Void ${hunter}'s tag`),
    voidDone: "The tag is void. Both sides are told.",
    standTitle: (hunter: string | null) =>
      hunter === null ? "Let this tag stand" : `Let ${hunter}'s tag stand`,
    standEffect: "Nothing changes in the game.",
    notifiedWithNote: "Both sides are told, with your note.",
    standDone: "The tag stands. Both sides are told.",
    note: "Note for both sides",
    resolved: (by: string, when: string) => `Resolved by ${by} ${when}`,
    tagged: (when: string) => `The tag: ${when}`,
    tree: "The tree around this tag",
    tags,
  },
  desk: {
    title: "Desk",
    none: "There is no checkpoint, and no mission with attendance.",
    noneText: "A game master sets one on the pages Checkpoint and Missions.",
    over: "This checkpoint was enforced. Set another one to check players in.",
    gone: "Nobody can be checked in there any more. Choose where this desk goes on.",
    choose: "Choose",
    label: "Scan or type a tag code, an alias or a name",
    hint: "A part is enough. Enter checks them in. A scanner that types like a keyboard works too.",
    meant: "Players who match",
    several: (n: number) => `${count(n, "player")} match. Choose one, or type more.`,
    notFor: (state: State, group: Checkpoint["applies_to"]) => `A ${state}: this checkpoint is for ${group}.`,
    submit: "Check in",
    scan: "Scan with the camera",
    stopScan: "Stop the camera",
    late: "From a list on paper, after the checkpoint has closed",
    lateReason: "Which list",
    lateMission: "From a list on paper, after the mission has ended",
    target: "For",
    attended: (n: number) => `${NUMBER.format(n)} checked in`,
    notOpen: (when: string) => `It starts ${when}.`,
    hasEnded: "It has ended: enter a list on paper.",
    paste: "Paste a list",
    pasteText: "Names or aliases, one a line",
    pasteHint: "From a spreadsheet or a form. Names that nobody has are shown afterwards.",
    pasteSubmit: (n: number) => `Check in ${count(n, "player")}`,
    pasted: (n: number) => count(n, "player"),
    pastedBefore: (n: number) => `${NUMBER.format(n)} of them ${n === 1 ? "was" : "were"} here before`,
    inTime: (when: string) => `Entered at the desk ${when}, before it closed, without a network.`,
    sound: "Sound and vibration",
    progress: (passed: number, expected: number) => `${passed} of ${expected} checked in`,
    list: "At this desk",
    status: {
      waiting: "Waiting for a network",
      done: "Checked in",
      duplicate: "Was here before",
      stranger: "Nobody has this code, alias or name",
      refused: "Not possible",
    },
    since: (when: string) => `since ${when}`,
    clear: "Clear the list",
  },
  days: {
    monday: "Monday",
    tuesday: "Tuesday",
    wednesday: "Wednesday",
    thursday: "Thursday",
    friday: "Friday",
    saturday: "Saturday",
    sunday: "Sunday",
  },
  week: {
    label: "Play hours of each day",
    none: "No play",
    add: "Add hours",
    copy: "Same on all days",
    from: (day: string) => `${day}, from`,
    to: (day: string) => `${day}, to`,
    remove: (day: string) => `Remove these hours of ${day}`,
    nextDay: "on the next day",
    empty: "These hours end when they begin. For a whole day enter 00:00 to 00:00.",
  },
  game: {
    parts: "Settings",
    clock: "Clock",
    sections: {
      schedule: "Schedule",
      registration: "Registration",
      originals: "Originals",
      rules: "Rules",
      waiver: "Waiver",
      texts: "Name and texts",
      awards: "Awards",
      bans: "Bans",
      season: "Season",
    } satisfies Record<GameSection, string>,
    review: "Review and save",
    discard: "Discard",
    savedSince: "Settings have been saved since then: see what would change before you save.",
    saved: "The settings are saved.",
    pauseEffects: [
      "Nobody starves, and no tag counts, until you resume it.",
      "Everybody gets a push notification.",
    ],
    paused: "The game is paused.",
    resumeEffects: (seconds: number) => [
      "Tags count again.",
      `Everybody's deadline moves by the play time of the pause, which has lasted ${periodText(seconds)} so far.`,
      "Everybody gets a push notification.",
    ],
    resumed: "The game is resumed.",
    addDayEffects: [
      "Every living zombie gets the play time of the next 24 hours.",
      "This cannot be undone.",
      "All zombies get a push notification.",
    ],
    dayAdded: (n: number, time: string) => `${count(n, "zombie has", "zombies have")} ${time} more.`,
    end: "End the game now",
    endEffects: [
      "From now on no tag counts and nobody starves.",
      "Everybody sees the awards, and hidden originals are revealed.",
      "Removing the end of the game lets it go on.",
      "It has no result. To say who has won, finish the season instead.",
    ],
    finishInstead: "Finish the season",
    ended: "The game is over.",
    schedule: "Schedule",
    starts: "Start (empty: no start)",
    ends: "End (empty: no end)",
    zone: "Time zone",
    hours: "When it is played",
    always: "Around the clock",
    onlyHours: "Only at these hours",
    registration: "Registration",
    who: "Who may join",
    registrations: [
      ["open", "Everybody, at once"],
      ["approval", "Those whom we admit"],
      ["closed", "Nobody"],
    ] as const,
    closes: "Closes (empty: never)",
    unique: "One account for each e-mail address",
    codes: "Join codes",
    noCodes: "Nobody needs a code.",
    code: "Code",
    uses: "Uses",
    usesHint: "Empty: any number of times",
    anyNumber: "can be used any number of times",
    usesLeft: (n: number) => `${count(n, "use")} left`,
    addCode: "Add a code",
    removeCode: (code: string) => `Remove the code ${code}`,
    posters: "Print posters",
    originals: "Original zombies",
    hide: "Hide them",
    hideHint: "Others see a human until the reveal.",
    revealAt: "Reveal (empty: at the end of the game)",
    reveal: "Reveal them now",
    revealEffects: ["Everybody sees who the original zombies are, and their tags.", "This cannot be undone."],
    revealed: "Everybody sees the original zombies.",
    draw: "Draw among the volunteers",
    drawHint:
      "Draws among the humans who want to be an original zombie, with equal chances. The log keeps the seed, so that the draw can be checked.",
    volunteers: (names: string[], n: number) =>
      n === 0
        ? "No human has volunteered yet. Players do it in their profile."
        : `${count(n, "human")} ${n === 1 ? "has" : "have"} volunteered: ${namesText(names, n)}.`,
    howMany: "How many",
    drawTitle: (n: number, volunteers: number) => `${n} of ${count(volunteers, "volunteer")}`,
    drawEffects: [
      "The draw is random: nobody knows the names before it is made. The log keeps every draw.",
      "Each becomes an original zombie at once, with a full feeding period, and gets a push notification.",
    ],
    drawThem: (n: number) => (n === 1 ? "Draw an original zombie" : `Draw ${n} original zombies`),
    drawDone: (aliases: string[]) => `Drawn: ${aliases.join(", ")}.`,
    rules: "Rules of the game",
    feeding: "Hours until a zombie starves",
    window: "Hours to enter a tag",
    minutes: "And minutes",
    sharers: "Other zombies a tag may feed",
    outcome: "Humans who miss a checkpoint",
    outcomes: [
      ["corpse", "become corpses"],
      ["zombie", "become zombies"],
    ] as const,
    missionsRequired: "How many missions a player has to attend",
    missionsHint: "Empty: none. Nothing happens until you enforce it.",
    missionsCountedFrom: "Missions count from (empty: all)",
    originalsCured: "Antidotes also cure original zombies",
    leaving: "Leaving during play",
    leavings: [
      ["allowed", "Everybody by themselves"],
      ["with_game_master", "Ask a game master"],
    ] as const,
    board: "Show the board and the feed without a login",
    texts: "Name, rules and contact",
    name: "Name of the game",
    description: "Description",
    rulesText: "Rules",
    markdown: "Markdown: # headings, - lists, **bold**",
    stun: "Rule about stunned zombies",
    safePlaces: "Safe places",
    waiver: "Waiver (empty: none)",
    waiverAsk: "Besides the name, a signature asks for",
    minimumAge: "Minimum age in years (empty: none)",
    minimumAgeHint: "Asks for the date of birth. Who is younger waits for you, or for the birthday.",
    keepsSignatures: "A small correction: nobody has to sign again",
    keepsSignaturesHint: "Signatures of the text before count for the new one.",
    preview: "What players read",
    waiverSettings: "Change the waiver",
    asks: {
      birth_date: "Date of birth",
      emergency_contact: "Whom to call in an emergency",
      photo_consent: "Whether photos may be shown",
    },
    keepSignatures: "Days for which the signature of a deleted account is kept",
    contact: "How to reach you",
  },
  awards: {
    title: "Awards",
    soFar: "As things stand. Players see them once the game is over.",
    final: "The game is over, and everybody can see them.",
  },
  season: {
    title: "Season",
    end: {
      title: "The end of this season",
      about:
        "Finishing the season stops play, gives it a result, and shows everybody the awards and the original zombies. Tags from before can be reported for as long as you choose.",
      notStarted: "The game has not started, so there is nothing to finish.",
      result: "Who has won",
      results: [
        ["", "Choose …"],
        ["humans", "The humans"],
        ["zombies", "The zombies"],
        ["both", "Both sides"],
        ["none", "Nobody"],
      ] as const,
      graceLabel: "How long tags from before the end count",
      graces: [
        ["0", "Not at all: the result is known at once"],
        ["900", "15 minutes"],
        ["1800", "30 minutes"],
        ["3600", "An hour"],
        ["10800", "3 hours"],
        ["86400", "A day"],
      ] as const,
      note: "A word about it (optional)",
      noteHint: "Everybody reads it with the result.",
      award: (n: number) => `Award ${n}`,
      awardTitle: "Title",
      awardAlias: "Alias of the player",
      awardText: "What for",
      addAward: "Add an award",
      removeAward: (n: number) => `Remove award ${n}`,
      noHumans: "No human is left. Have the humans won?",
      humansLeft: (n: number) => `${count(n, "human is", "humans are")} left. Have the zombies won?`,
      humansLeftNow: "Humans are left. Have the zombies won?",
      paused: "The game is paused: the season ends when the pause began.",
      missions: (titles: readonly string[]) =>
        `Not closed: ${titles.join(", ")}. Close them before the result is known, or they give nothing.`,
      checkpoint: (name: string) => `The checkpoint ${name} was not enforced.`,
      disputes: (n: number) =>
        `${count(n, "dispute is", "disputes are")} open. Resolve them before the result is known.`,
      atOnce: "Play stops, and everybody is told the result and sees the awards at once.",
      grace: (period: string) =>
        `Play stops. For ${period} players report tags from before; then everybody is told the result and sees the awards.`,
      revealed: (aliases: readonly string[]) =>
        `Then everybody learns who the originals were: ${aliases.join(", ")}.`,
      frozen: "After that nothing of the game can be changed, unless you reopen the season.",
      done: "The season is finished.",
      doneAfter: (time: string) => `Play is over. The result is known ${time}.`,
      isFinal: "Everybody knows the result. Nothing of the game can be changed.",
      isSecret: (time: string) =>
        `Players do not know it yet: they report their last tags, and are told ${time}. Until then you can correct tags.`,
      given: (title: string, alias: string, text: string) => `${title}: ${alias}. ${text}`,
      reopenEffects: [
        "The result and your own awards are taken back, and everybody is told.",
        "The game is paused since the end of play. Correct what was wrong, then finish the season again or resume the game.",
        "Originals who were revealed stay revealed.",
      ],
      reopened: "The season is open again, and the game is paused.",
      earlier: (n: number) => count(n, "earlier end of this season", "earlier ends of this season"),
      entry: (result: string, by: string, time: string) => `${result}, by ${by} ${time}.`,
      entryReopened: (by: string, time: string) => `Reopened by ${by} ${time}.`,
    },
    enrolment: "Who plays in the next season",
    enrolments: [
      ["everyone", "Everybody who played"],
      ["opt_in", "Those who enrol"],
    ] as const,
    reset: "Begin a new season",
    where:
      "Accounts stay, and everything that was played goes. Nothing brings it back, so keep the old season first.",
    lists: (enrolment: "everyone" | "opt_in") =>
      [
        [
          "Removed",
          [
            "Tags, the tree, the feed, the board and the awards",
            "Passes and the checkpoint, pauses and added days",
            "Disputes, alerts, messages and the log",
            "Tag codes, and aliases that were given up",
            "The start, the end, the end of registration, and the reveal of originals",
          ],
        ],
        [
          "Kept",
          [
            "Accounts, passwords, names and pictures",
            "Roles, labels, notes on players and bans",
            "All other settings, join codes and webhooks",
            "Devices that get pushes",
          ],
        ],
        [
          "Afterwards",
          [
            enrolment === "everyone"
              ? "Everybody who played is human, with a new tag code."
              : "Everybody is a spectator, and human once they enrol.",
            "Spectators stay spectators.",
            "Set start and end before anybody plays.",
          ],
        ],
      ] as const,
    stop: "Pause or end the game, so that nothing is played that no archive has.",
    stopped: "Nobody plays now.",
    keep: "Keep the old season. The results are its awards and events; the archive is all that players and game masters have stored. Keep the archive secret.",
    save: "Save the results",
    archive: "Save the archive",
    read: (items: number) => `${count(items, "item")} so far`,
    kept: (items: number) => `The archive is saved, with ${count(items, "item")}.`,
    missing:
      "It has no passwords, sessions, devices for pushes, webhooks, bans and join codes, and nobody who has left. A complete archive needs the computer from which the service is operated, and for a deployment --stage and its name:",
    missingCommand: "npm run export -- --file game.ndjson",
    begin:
      "Begin. First you see what goes and what stays; nothing changes before you enter the name of the game.",
    tooEarly: "Begin, when players know the result of this season.",
    enterName: (name: string) => `Name of the game: ${name}`,
    password: "Your password",
    effects: ({ humans, unenrolled, removed }: SeasonCounts, isKept: boolean): string[] => [
      ...(humans > 0
        ? [`${count(humans, "player becomes", "players become")} human, with a new tag code.`]
        : []),
      ...(unenrolled > 0
        ? [`${count(unenrolled, "player is", "players are")} a spectator until they enrol.`]
        : []),
      `Removed: ${removedText(removed)}.`,
      "Nothing brings the old season back.",
      ...(isKept ? [] : ["You have not saved its archive on this page."]),
    ],
    done: "The new season has begun. Set start and end before anybody plays.",
    working: "The new season is being made. It goes on by itself, also when you close the page.",
    underWay: "A new season is being made",
    by: (alias: string | null, time: string) =>
      alias === null ? `From a terminal, since ${time}` : `By ${alias}, since ${time}`,
    progress: ({ humans, unenrolled, removed }: SeasonCounts) =>
      `${count(humans + unenrolled, "player", "players")} renewed so far, ${count(
        Object.values(removed).reduce((sum, n) => sum + n, 0),
        "item",
        "items",
      )} removed.`,
    wait: "Nobody can play meanwhile. If it stops, the service continues it within a minute.",
    terminal: "It has been interrupted or is still running. Whoever has begun it continues it with:",
    terminalCommand: "npm run reset -- --resume",
  },
  invitations: {
    lead: "Players from a list get a link by mail, with which they set their first password. It is valid for seven days, once, and until another one is sent; codes that were saved in a file are void then.",
    noMail:
      "This service sends no mail. Send each player the link from the file that the import saves. Whoever operates the service can set MAIL_URL and MAIL_FROM.",
    nobody: "Nobody waits for an invitation. Import players first.",
    import: "Import players",
    stored: "This service sends nothing: it stores the mails, and the outbox shows them with their links.",
    title: (n: number) => `Send ${count(n, "invitation")}`,
    again: (n: number) => `Send again to ${n} who have not come`,
    effect: "Each gets one mail with a link of their own. A link that was sent before is void.",
    testButton: TEST,
    test: {
      title: "Send a test to your own address",
      submit: TEST,
      effects: [
        "The invitation goes to the address in your profile, as the players get it. Its link shows that it is a sample.",
      ],
    },
    sample: (alias: string) => `The mail to ${alias}, with a sample of the link`,
    leftOut: (
      reason: NonNullable<Result<"send_invitations">["left_out"]>[number]["reason"],
      aliases: readonly string[],
      n: number,
    ) =>
      `${
        {
          deleted: "Not in the game",
          banned: "Banned",
          accepted: "Have accepted",
          no_address: "Without an address",
          suppressed: "Address refused by its server",
          email_taken: "Address confirmed by another account",
          waiting: "Their last invitation is not sent yet",
          too_many: "Invited less than a minute ago, or five times in an hour",
        }[reason]
      }: ${ended(namesText(aliases, n))}`,
    queued: (n: number, isComplete: boolean) =>
      `${count(n, "invitation is", "invitations are")} on the way.${isComplete ? "" : " More follow."}`,
    standings: {
      came: "Came",
      waiting: "Waits to be sent",
      sent: "Sent, has not come yet",
      bounced: "Address refused",
      failed: "Not sent",
      none: "Not invited by mail yet",
    },
    noAddress: "Has no address",
    serverRefused: "the mail server has refused it, as the page Mail says",
    summary: (numbers: readonly (readonly [string, number])[]) => {
      const of = new Map(numbers);
      const some = (name: string, text: string): string[] =>
        (of.get(name) ?? 0) > 0 ? [`${of.get(name)} ${text}`] : [];
      const all = numbers.reduce((sum, [, n]) => sum + n, 0);
      const parts = [
        `${of.get("came") ?? 0} came`,
        ...[...some("sent", "sent"), ...some("waiting", "waiting"), ...some("bounced", "refused")],
        ...[...some("failed", "not sent"), ...some("none", "not invited")],
      ];
      return `${count(all, "player")}: ${parts.join(", ")}.`;
    },
  },
  mail: {
    lead: "What became of the mails of the last 30 days. Their texts and links are not kept.",
    leadOfStored: "What became of the mails of the last 30 days. The outbox has their texts and links.",
    none: "This service sends no mail. Whoever operates it can set MAIL_URL and MAIL_FROM.",
    empty: "No mail was sent in the last 30 days.",
    kinds: {
      test: "Test",
      confirm: "Link to confirm the address",
      recover: "Link for a forgotten password",
      invite: "Invitation",
      password_changed: "Notice of a changed password",
      address_change: "Notice of a changed address",
      announcement: "Announcement",
    },
    states: {
      queued: "Waits to be sent",
      sending: "Is being sent",
      sent: "Sent",
      failed: "Failed",
      bounced: "Address refused",
      dropped: "Not sent",
    },
    tries: (n: number) => (n <= 1 ? null : `${n} attempts`),
    nobody: "No account",
    noAddress: "Enter your address for a test",
    testButton: TEST,
    test: {
      title: "Send a test to your own address",
      submit: TEST,
      effects: ["A message goes to the address in your profile. The list shows what becomes of it."],
    },
    again: (kind: string, alias: string) => ({
      title: `Send again to ${alias}: ${kind}`,
      effects: ["It is written by what is true now, and sent once."],
    }),
    queued: "The mail is on its way.",
    suppressed: "Refused addresses",
    suppressedLead: "A mail server has refused these players' addresses, so nothing is sent to them.",
    lift: (alias: string) => ({
      title: `Send mail to ${alias} again`,
      effects: ["The next mail goes to the same address. If it is refused again, no more are sent."],
    }),
    lifted: (alias: string) => `Mail goes to ${alias} again.`,
  },
  outbox: {
    lead: "This service sends nothing: it stores mails as files, and shows them here as they would arrive. Links open in a new tab. Open those to other players in a private window: who sets a password is logged in, in place of you.",
    none: "This service sends its mails, so only their recipients can read them.",
    empty: "No mail yet. Enter an address in your profile, or ask for a new password at the login.",
    again: "Look again",
    from: "From",
    to: "To",
    plain: "As plain text",
    unread: "The file of this mail is not in the outbox.",
  },
  webhooks: {
    title: "Webhooks",
    lead: "Other services get the events of the game as somebody without an account may see them: no notes, places or reasons, and hidden originals stay hidden.",
    add: "Add a webhook",
    addEffects: ["Each event is sent to it as it happens."],
    url: "Address",
    urlHint: "It begins with https:// and is not shown again.",
    format: "Format",
    formats: [
      ["discord", "Discord: a line of text"],
      ["signed", "JSON, signed (Standard Webhooks)"],
    ] as const,
    formatNames: { discord: "Discord", signed: "signed JSON" },
    which: "Events",
    choices: [
      ["all", "All"],
      ["some", "Only some"],
    ] as const,
    all: "all events",
    events: [
      ["hunt", "tags"],
      ["starve", "starvations"],
      ["checkpoint_kill", "missed checkpoints"],
      ["revive_human", "revivals as a human"],
      ["revive_zombie", "revivals as a zombie"],
      ["cure", "cures"],
      ["corpsify", "kills by game masters"],
      ["feed", "feedings"],
      ["add_day", "added days"],
      ["pause", "pauses"],
      ["resume", "ends of pauses"],
      ["void", "voided tags"],
      ["revived_by_late_tag", "revivals by late tags"],
      ["mission_revealed", "missions for all: briefings"],
      ["mission_soon", "missions for all: half an hour before"],
      ["mission_changed", "missions for all: changes"],
      ["mission_result", "missions for all: results"],
      ["finish", "the end of play"],
      ["season_result", "the result of the season"],
      ["reopen", "a season that is reopened"],
    ] as const,
    added: "The webhook is added. Send it a test.",
    lost: "The webhook is added, but its key was shown to an earlier attempt. Remove the webhook and add it again.",
    secret: "The webhook is added. Its receiver checks signatures with this key, which is shown only now:",
    remove: "Remove",
    removeTitle: (host: string) => `Remove the webhook to ${host}`,
    removeEffects: ["Nothing more is sent to it. What is on its way may still arrive."],
    removed: "The webhook is removed.",
    test: "Send a test",
    testing: "A test is on its way …",
    untested: "No test has arrived yet.",
    tested: (when: string) => `The last test arrived ${when}.`,
    failing: (why: string) => `The last message failed: ${why}.`,
    disabled: (when: string, why: string | null) =>
      `Switched off ${when} after a day of failures${why === null ? "" : `: ${why}`}. A test that arrives switches it on.`,
  },
  checkpoint: {
    name: "Name",
    description: "Where it is, and what players do there",
    closes: "Closes (empty: never)",
    whom: "For whom",
    groups: { humans: "Humans", zombies: "Zombies", all: "Humans and zombies" } satisfies Record<
      Checkpoint["applies_to"],
      string
    >,
    push: "Everybody gets a push notification.",
    set: "The checkpoint is set.",
    corrected: "The checkpoint is corrected. All passes stay.",
    correct: "Correct name, place or time",
    next: "Set a checkpoint",
    open: "does not close by itself",
    enforcedAt: (when: string) => `enforced ${when}`,
    enforceTitle: (name: string) => `Enforce ${name}`,
    spared: (n: number) => `${count(n, "player")} checked in and ${n === 1 ? "goes" : "go"} on.`,
    sum: (state: State, fate: "corpse" | "zombie", n: number) =>
      `${count(n, `${state} becomes`, `${state}s become`)} ${FATES[fate](n)}.`,
    fate: (state: State, fate: "corpse" | "zombie", names: string[]) =>
      `${count(names.length, `${state} becomes`, `${state}s become`)} ${FATES[fate](names.length)}: ${names.join(", ")}.`,
    missing: (n: number) => `${count(n, "player")} ${n === 1 ? "has" : "have"} not checked in.`,
    stillOpen: (when: string | null) =>
      `The checkpoint is still open${when === null ? ": it has no closing time" : ` and closes ${when}`}. Whoever is on the way comes too late.`,
    notCounted: {
      all: "Corpses and spectators are not counted, nor is anybody who joins later.",
      humans: "Zombies, corpses and spectators are not counted, nor is anybody who joins later.",
      zombies: "Humans, corpses and spectators are not counted, nor is anybody who joins later.",
      hidden:
        "Hidden zombies count as humans, as others see them. Other zombies, corpses and spectators are not counted, nor is anybody who joins later.",
    } satisfies Record<Checkpoint["applies_to"] | "hidden", string>,
    others: (n: number) => `So do ${count(n, "other")}.`,
    nobody: "Nobody is missing.",
    undoneAt: (when: string) => `undone ${when}`,
    before: "Enforced before",
    beforeText: (n: number, when: string) => `${count(n, "player")} missed it · ${when}`,
    undoTitle: (name: string | null) => `Undo ${name ?? "this checkpoint"}`,
    restored: (n: number, names: string[]) =>
      n === 0
        ? "Nobody is left to be restored."
        : `${count(n, "player is", "players are")} what they were before: ${namesText(names, n)}.`,
    unchanged: (n: number, names: string[]) =>
      `${count(n, "player has", "players have")} changed since, and ${n === 1 ? "stays" : "stay"} as they are: ${namesText(names, n)}.`,
    undoEffects: [
      "Humans get their old tag code back, zombies the time that they had left.",
      "Tags by players who became zombies at the checkpoint still count.",
      "The checkpoint can be enforced again.",
    ],
    undone: (n: number) => `The checkpoint is undone: ${count(n, "player is", "players are")} restored.`,
    undoing: "The checkpoint is being undone. The log shows the end.",
    once: "A checkpoint is enforced once: players who are revived later are safe from it.",
    enforced: (n: number) => `The checkpoint is enforced: ${count(n, "player")} missed it.`,
    working: "The checkpoint is being enforced. The log shows the end.",
    clear: "Remove the checkpoint",
    clearEffects: ["Nobody has to come any more, and all passes are gone."],
    cleared: "The checkpoint is removed.",
    list: "Show",
    lists: [
      ["false", "Who is missing"],
      ["true", "Who has checked in"],
    ] as const,
    noneMissing: "Nobody is missing.",
    nonePassed: "Nobody has checked in yet.",
  },
  missions: {
    create: "New mission",
    none: "There is no mission yet. A mission is what you stage: texts for each side, a place, a time, and what those get who come.",
    gone: "There is no such mission.",
    list: "All missions",
    week: "The week",
    weekNone: "Nothing is planned.",
    moments: {
      reveal: (title: string, audiences: readonly Mission["briefings"][number]["audience"][]) =>
        `${title} is revealed to ${listed(audiences.map((one) => SIDE_NAMES[one]))}`,
      start: (title: string) => `${title} starts`,
      end: (title: string) => `${title} ends`,
    },
    status: {
      draft: "Draft",
      coming: (when: string) => `starts ${when}`,
      running: (when: string) => `until ${when}`,
      over: "Over: close it",
      working: "Rewards are being given or taken back",
    },
    attended: (n: number) => `${NUMBER.format(n)} checked in`,
    isDraft: "A draft: nobody but game masters knows of it.",
    edit: "Change the mission",
    heading: "Title",
    starts: "Starts",
    ends: "Ends",
    endsEarly: "It ends before it starts.",
    place: "Place",
    coordinates: "Coordinates for the map",
    coordinatesHint: "Latitude and longitude, as maps copy them: 52.5163, 13.3777",
    noCoordinates: "These are no coordinates. Copy them from a map: 52.5163, 13.3777",
    briefings: "Briefings",
    briefingsHint:
      "A side knows of the mission once a briefing for it is revealed, and of nothing else. Zombies do not learn that there is a briefing for humans.",
    briefing: (n: number) => `Briefing ${n}`,
    addBriefing: "Add a briefing",
    remove: (what: string) => `Remove ${what}`,
    audience: "For whom",
    audiences: {
      all: "Everybody",
      humans: "Humans",
      zombies: "Zombies",
      corpses: "Corpses",
    } satisfies Record<Mission["briefings"][number]["audience"], string>,
    text: "Text",
    revealAt: "Revealed at (empty: as soon as it is saved)",
    outcome: "What they read once it is closed (optional)",
    desk: "Attendance is taken at the desk",
    required: "It counts among the required missions",
    requiredToPlay: "Players have to attend before they play (orientation)",
    draft: "Keep it a draft, of which only game masters know",
    rewards: "Rewards for who attends, by the side at the start",
    reward: (n: number) => `Reward ${n}`,
    addReward: "Add a reward",
    points: "Points",
    feedHours: "Hours of food",
    cure: "Antidote: makes zombies human",
    badgeName: "Badge",
    badgeSymbol: "Its sign",
    badgeHint: "One or a few characters, such as an emoji",
    message: "What they are told",
    review: "Review and save",
    preview: "What they see",
    sees: (sides: readonly ("humans" | "zombies" | "corpses")[]) => firstUpper(listed(sides)),
    readsFrom: (times: readonly string[]) => `Revealed ${times.join(", then ")}`,
    atOnce: "as soon as it is saved",
    knowNothing: "They know nothing of it.",
    effects: {
      toldNow: (who: string) => `${who} are told at once, and can read it.`,
      toldLater: (who: string, when: string) =>
        `${who} are told ${when}, half an hour before the start, and how it ended.`,
      changed: (what: string) => `Changed: ${what}.`,
      moved: "Those who know of it are told of the new title, time or place.",
      draft: "Nobody is told: it is a draft.",
      published: "It is no longer a draft.",
    },
    created: "The mission is saved.",
    saved: "The mission is saved.",
    picture: "Picture",
    setPicture: "Choose a picture",
    pictureSet: "The picture is saved.",
    clearPicture: "Remove the picture",
    fields: {
      title: "Title",
      starts_at: "Start",
      ends_at: "End",
      place: "Place",
      coordinates: "Coordinates",
      briefings: "Briefings",
      attendance: "Attendance at the desk",
      rewards: "Rewards",
      required: "Required",
      required_to_play: "Before they play",
      draft: "Draft",
    },
    attendance: "Who came",
    attendanceNone: "Nobody has been checked in yet.",
    attendanceFind: "Name",
    openDesk: "Open the desk",
    enteredBy: (alias: string | null) => `by ${alias ?? "somebody who has left"}`,
    late: (reason: string) => `from a list: ${reason}`,
    undo: "Take back",
    undoTitle: (alias: string) => `Take back the attendance of ${alias}`,
    undoEffect: "They count as not checked in.",
    undone: (alias: string) => `${alias} is not checked in any more.`,
    closeTitle: (title: string) => `Close ${title}`,
    result: "Result",
    results: [
      ["", "Choose the result"],
      ["humans", "The humans have won"],
      ["zombies", "The zombies have won"],
      ["both", "Both sides have won"],
      ["none", "Nobody has won"],
      ["cancelled", "Cancelled"],
    ] as const,
    note: "A word on it (optional)",
    noteHint: "Whoever knows of the mission reads it.",
    closeEffects: {
      cancelled: [
        "Nobody is rewarded, and the mission counts for nobody.",
        "One required mission less is needed, if it is one.",
      ],
      nobody: "Nobody is rewarded.",
      some: (n: number, what: string, names: string) => `${count(n, "player")}: ${what}. ${names}.`,
      skipped: (n: number) => `${count(n, "other")} attended, for whom there is no reward.`,
      more: (n: number) => `And ${count(n, "other")}.`,
      becomes: (n: number, state: State) => `${count(n, "player becomes", "players become")} ${state} by it.`,
      told: "The sides who know of it are told the result, and read the outcome.",
      early: "It has not ended yet. Nobody is checked in any more.",
    },
    closed: (n: number) => `The mission is closed: ${count(n, "player")} rewarded.`,
    closing: "The rewards are being given. This page shows when all have them.",
    reopenTitle: (title: string) => `Reopen ${title}`,
    reopenEffects: [
      "Points, badges and cures are taken back, and food that nobody needed to survive.",
      "What cannot be taken back stays, and you are told how many players it concerns.",
      "Attendance can be entered again, and the mission can be closed again.",
    ],
    reopened: (n: number, kept: number) =>
      `The mission is open again: rewards of ${count(n, "player")} taken back${kept === 0 ? "" : `, of ${NUMBER.format(kept)} not all`}.`,
    reopening: "The rewards are being taken back. This page shows when that is done.",
    working: "Rewards are being given or taken back …",
    closings: "How it was closed before",
    closingText: (result: string, when: string, reopened: string | null) =>
      `${result}, ${when}${reopened === null ? "" : `, reopened ${reopened}`}`,
    requiredTitle: "Required missions",
    requiredText: (n: number | null) =>
      n === null
        ? "No number is required in the settings."
        : `Every player has to attend ${n} of the missions that count. Nothing happens until you enforce it.`,
    requiredSettings: "Change it in the settings",
    short: "Who is short",
    min: "How many are required",
    exempt: "Except (an alias a line)",
    enforceTitle: "Enforce the required missions",
    needed: (n: number) => `${count(n, "mission")} are needed, after those that were cancelled.`,
    enforceSpared: (n: number) => `${count(n, "player")} attended enough, or are exempt.`,
    enforceNotCounted: "Who joined or began a life after the start of the last of them is not counted.",
    enforceNobody: "Nobody is short of missions.",
    enforced: (n: number) => `Enforced: ${count(n, "player")} attended too few.`,
    enforcing: "It is being enforced. The log shows the end.",
    enforcedBefore: "Enforced before",
    enforcedText: (n: number, when: string) => `${count(n, "player")} attended too few · ${when}`,
    undoEnforce: "Undo the enforcement of required missions",
  },
  send: {
    title: "Send a message",
    whom: "To whom",
    audiences: {
      all: "Everybody",
      humans: "Humans",
      zombies: "Zombies",
      corpses: "Corpses",
      moderators: "Moderators",
      label: "Players with a label",
    } satisfies Record<Audience, string>,
    audienceHint:
      "Recipients are chosen at delivery: players who change sides before then count on their new side.",
    label: "Label",
    withLabel: (label: string) => `Players labelled “${label}”`,
    /** Who has a push subscription. @param audience as the service names it */
    reachable: (reachable: number, total: number, audience: string): string => {
      const texts = {
        all: `of ${count(total, "player")}`,
        ...byCounter(TAKING_PART, (state) => en.counts[counterOf(state)](reachable)),
        moderators: reachable === 1 ? "moderator" : "moderators",
      };
      const whom: Partial<Record<string, string>> = texts;
      const ofLabel = `${reachable === 1 ? "player" : "players"} with this label`;
      return `${reachable} ${whom[audience] ?? ofLabel} can be reached by push. The others find it in their inbox.`;
    },
    alsoMail: "Also by mail",
    unsigned: "Only those who have not signed the waiver",
    below: "Only those with fewer missions than (empty: all)",
    onlyBelow: (n: number) => `Only those with fewer than ${count(n, "mission")}.`,
    previewMail: "Count and sample",
    testMail: "Send me a test",
    testSent: "The test is on its way to your own address.",
    byMail: "It also goes by mail, with a link that stops such mails.",
    mails: (n: number) =>
      `${count(n, "player gets", "players get")} a mail. The others find it in their inbox.`,
    mailed: (n: number) => `${count(n, "mail")}`,
    heading: "Title",
    text: "Text",
    tooLong: (n: number) => `At most ${n} characters.`,
    when: "When (empty: at once)",
    review: "Review and send",
    to: (whom: string) => `To: ${whom}.`,
    atOnce: "It is sent at once.",
    later: (when: string) => `It is sent ${when}. Until then you can withdraw it.`,
    inbox: "It is also in the inbox of those who have no push.",
    sent: "The message is sent.",
    scheduled: "The message is scheduled.",
    preview: "On a phone",
    app: (game: string) => `${game} · now`,
    sender: (title: string) => `Game masters: ${title}`,
    by: (alias: string) => `by ${alias}`,
    noTitle: "Title",
    noContent: "Text",
    last: "Recently sent",
    delivery: ({ subscriptions, sent = 0, failed = 0, expired = 0, queued = 0 }: Delivery): string => {
      if (subscriptions === undefined) return "sent; how many it reaches is hidden while you play";
      const lost = failed + expired;
      return subscriptions === 0
        ? "in the inbox; none of the recipients has turned on push notifications"
        : [
            `${sent} of ${count(subscriptions, "device")} reached`,
            ...(queued > 0 ? [`${queued} on the way`] : []),
            ...(lost > 0 ? [`${lost} gone`] : []),
          ].join(", ");
    },
    waits: (when: string) => `goes out ${when}`,
    isWithdrawn: "withdrawn",
    withdrawTitle: (title: string) => `Withdraw “${title}”`,
    withdrawEffect: "It is not sent.",
    withdrawn: "The message is withdrawn.",
  },
  hidden: {
    label: "Should others see a zombie?",
    hint: "Original zombies are hidden: others see a human. Whoever was known as a zombie in this season is seen as one in any case.",
    choices: [
      ["true", "No, not before the reveal"],
      ["false", "Yes, at once"],
    ] as const,
  },
  history: {
    voided: "The tag is void.",
    nameTitle: "Name the hunter of this tag",
    nameEffect: "The hunter gets the tag and, unless they have died or been cured since, the meal.",
    nameAt: "When it happened (empty: when it was recorded)",
    nameMade: "The infection becomes a tag, which everybody sees. It can be voided.",
    named: (alias: string) => `The tag is by ${alias}.`,
  },
  bans: {
    title: "Bans",
    empty: "Nobody is banned.",
    address: "an e-mail address",
    formerly: (aliases: string[]) => `formerly ${aliases.join(", ")}`,
    forGood: "until it is lifted",
    until: (when: string) => `until ${when}`,
    liftTitle: (alias: string | null) => `Lift the ban of ${alias ?? "an address"}`,
    liftEffect: "They can log in and register again.",
    lifted: "The ban is lifted.",
  },
  group: {
    whom: (n: number, names: string[]) => (n === 0 ? "Nobody." : `${namesText(names, n)}.`),
    skipped: (n: number) =>
      `${count(n, "other")} ${n === 1 ? "is" : "are"} left out: their state does not allow it.`,
    feed: {
      effect: "Each has at least a full feeding period from now.",
      done: (n: number) => `${count(n, "zombie is", "zombies are")} fed.`,
    },
    revive: {
      effect: "Each plays again, with a new tag code.",
      done: (n: number) => `${count(n, "player plays", "players play")} again.`,
    },
    rise: {
      title: "Revive them as zombies",
      effect: "Each is an original zombie with a full feeding period.",
      done: (n: number) => `${count(n, "zombie plays", "zombies play")} now.`,
    },
  },
  log: {
    title: "Log",
    action: "What",
    all: "Everything",
    filters: [
      ["corpsify", "Kills"],
      ["cure", "Cures"],
      ["revive_h", "Revivals as a human"],
      ["revive_z", "Revivals as a zombie"],
      ["feed_player", "Feedings"],
      ["hunt", "Entered tags"],
      ["void_hunt", "Voided tags"],
      ["resolve_dispute", "Resolved disputes"],
      ["edit_player", "Edited players"],
      ["player_at_checkpoint", "Check-ins"],
      ["set_checkpoint", "Checkpoints"],
      ["kill_all_not_at_checkpoint", "Enforced checkpoints"],
      ["undo_checkpoint", "Undone checkpoints"],
      ["reset_season", "New seasons"],
      ["settings", "Settings"],
      ["send", "Messages"],
      ["inject_sql", "Statements"],
      ["recover_password", "Recovery codes"],
      ["ban", "Bans"],
      ["login", "Logins"],
      ["sweep", "Starved zombies"],
    ] as const,
    who: "By or about (alias)",
    onlyRefused: "Only refused calls",
    includeReads: "Include calls that only read",
    refused: (code: string) => code.replaceAll("_", " "),
    details: "Details",
    request: "request",
    empty: "None of these entries match.",
  },
  players: {
    columns: [
      ["alias", "Alias"],
      ["name", "Name"],
      ["state", "State"],
      ["kills", "Tags"],
      ["labels", "Labels"],
      ["starves", "Starves"],
    ] as const,
    states: {
      all: "Everybody",
      human: "Humans",
      zombie: "Zombies",
      corpse: "Corpses",
      spectator: "Spectators",
    } satisfies Record<State | "all", string>,
    filter: "Alias, name, address or label",
    state: "State",
    sort: "Sort by",
    choose: "Choose",
    export: "Save as CSV",
    chosen: (n: number) => `${count(n, "player")} chosen`,
    none: "Clear the selection",
    invited: "Only who has not accepted the invitation",
    missionsBelow: "Attended fewer required missions than",
    renew: {
      title: (n: number) => `Renew ${count(n, "invitation")}`,
      effects: [
        "Each of them gets a new code, which is valid for 14 days. Earlier codes stop working.",
        "The file of the new invitations is saved on this device. Nothing is sent to the players.",
      ],
      done: (n: number) => `${count(n, "invitation is", "invitations are")} renewed.`,
    },
    label: "Label",
    labelled: (n: number) => `${count(n, "player is", "players are")} labelled.`,
    remove: "Remove the label",
    time: (time: string) => TIME.format(Date.parse(time)),
  },
  import: {
    hint: "A CSV file of any spreadsheet or form. Its first row names the columns; each player needs an alias or a name. Nothing is created before you have seen what will be stored.",
    template: "Save a template",
    file: "CSV file of players",
    gone: "This file cannot be read. If it is in a cloud, save it on this device first.",
    empty: "The file has no rows of players.",
    noCsv: "This is no CSV file. Save the list as CSV in the program that has made it.",
    otherFile: (name: string) =>
      `This is a ${name} file, no CSV file. Save the list as CSV in the program that has made it.`,
    spreadsheet: {
      excel:
        "This is an Excel workbook, no CSV file. In Excel choose File > Save As > CSV UTF-8 (Comma delimited), in Google Sheets File > Download > Comma-separated values (.csv), and choose that file.",
      calc: "This is an OpenDocument spreadsheet, no CSV file. In LibreOffice choose File > Save As > Text CSV (.csv), and choose that file.",
      numbers:
        "This is a Numbers spreadsheet, no CSV file. In Numbers choose File > Export To > CSV, and choose that file.",
    },
    encoding: "Characters of the file",
    encodingHint: "The file is not in Unicode. Choose another kind if names look wrong below.",
    encodings: [
      ["windows-1252", "Western European"],
      ["windows-1250", "Central European"],
      ["windows-1254", "Turkish"],
      ["windows-1253", "Greek"],
      ["windows-1251", "Cyrillic"],
      ["windows-1257", "Baltic"],
      ["windows-1255", "Hebrew"],
      ["windows-1256", "Arabic"],
      ["windows-1258", "Vietnamese"],
      ["gb18030", "Chinese (simplified)"],
      ["big5", "Chinese (traditional)"],
      ["shift_jis", "Japanese"],
      ["euc-kr", "Korean"],
      ["macintosh", "Western European, older Mac"],
    ] as const,
    hasHeads: "The first row names the columns",
    columns: "Columns of the file",
    columnsHint: "What each column is for. Change what was guessed wrongly.",
    samples: (samples: readonly string[]) =>
      samples.length === 0 ? "This column is empty." : `For example: ${samples.join(" · ")}`,
    uses: [
      ["ignore", "Ignore this column"],
      ["alias", "Alias"],
      ["first_name", "First name"],
      ["last_name", "Last name"],
      ["full_name", "Whole name, to be split"],
      ["email", "E-mail address"],
      ["labels", "Labels, with commas"],
    ] as const,
    ignored: (heads: readonly string[]) => ended(`Not stored: ${heads.join(", ")}`),
    blank: (rows: readonly number[], all: number) =>
      `${all === 1 ? "Row" : "Rows"} ${namesText(rows.map(String), all)} ${all === 1 ? "has" : "have"} neither alias nor name nor address, and ${all === 1 ? "is" : "are"} left out.`,
    noNames: "No column is for the alias, a name or the address. Choose one above.",
    strayQuote: (row: number, column: string, cell: string) =>
      `Row ${row}, column ${column}: a single quotation mark. It is taken as part of the text: ${cell}`,
    beyondRow: (row: number, values: readonly string[]) =>
      ended(`Row ${row} has more cells than the first row. Not stored: ${values.join(", ")}`),
    beyond: (values: readonly string[]) => ended(`Not stored: ${values.join(", ")}`),
    sameAlias: (of: number) => `The alias is that of row ${of}.`,
    repeated: (row: number, email: string, of: number) =>
      `Row ${row} has the same mailbox as row ${of}: ${email}.`,
    repeats: (of: number) => `Same mailbox as row ${of}.`,
    more: (n: number) => `And ${n} more.`,
    leftOut: "Left out.",
    withRepeats: (n: number) =>
      `Create also ${count(n, "player", "players")} whose mailbox an earlier row has`,
    preview: "What will be stored",
    heads: ["Row", "Alias", "First name", "Last name", "E-mail", "Labels", "Result"],
    aliasOf: (row: number) => `Alias of row ${row}`,
    proposed: "proposed",
    /** The alias of somebody of whom the file has neither alias nor name. */
    unnamed: (row: number) => `Player ${row}`,
    outcome: (status: Imported["rows"][number]["status"], isPreview: boolean) =>
      ({
        created: isPreview ? "New." : "Created.",
        invited: "Invited again.",
        exists: "Is in the game already. Nothing is changed.",
        rejected: "Cannot be used.",
        pending: "Not created yet.",
      })[status],
    progress: (done: number, all: number) => `${done} of ${count(all, "row")}`,
    local: (origin: string) =>
      `The links in the file of invitations will begin with ${origin}, which only this device can open. Type the address that players use, or open this page there.`,
    row: (row: number, alias: string | null) => `Row ${row}${alias === null ? "" : `: ${alias}`}`,
    summary: ({ rows, dry_run }: Pick<Imported, "rows" | "dry_run">) => {
      const number = (wanted: Imported["rows"][number]["status"]): number =>
        rows.filter(({ status }) => status === wanted).length;
      const [exists, rejected, pending] = [number("exists"), number("rejected"), number("pending")];
      return `${[
        `${count(number("created"), "new player")}${dry_run ? " can be created" : ""}`,
        ...(exists > 0 ? [`${exists} exist already`] : []),
        ...(rejected > 0 ? [`${count(rejected, "row")} cannot be used`] : []),
        ...(pending > 0 ? [`${count(pending, "row is", "rows are")} not created yet`] : []),
      ].join(", ")}.${pending > 0 ? " Time ran out: go on with the rest. Nobody is created twice." : ""}${
        rejected > 0
          ? " Correct what cannot be used in the file, and choose it again: nobody is created twice."
          : ""
      }`;
    },
    needsDecision: (isDone: boolean) =>
      `${isDone ? "Waits" : "Would wait"} for your decision, and does not play before it: see Now.`,
    create: (n: number) => `Create ${count(n, "player")}`,
    byMail: "Send the invitations by mail",
    keep: "The file of invitations has name, address, link and code of each new player. With the link they set their first password. The codes are given only now.",
    save: "Save the invitations again",
  },
  sql: {
    title: "Statements",
    lead: "PartiQL on the table of the game. Each statement must name the partition that it reads; secrets cannot be read.",
    label: "Statement",
    result: "Result",
    examples: "Examples",
    history: "Run before on this device",
    byAlias: "The id of a player",
    roster: "Players whose alias begins with b",
    hunters: "Zombies who have tagged somebody",
    rejected: "Rejected calls in the log",
    found: (n: number, more: boolean) => `${count(n, "item")}${more ? " so far" : ""}`,
    empty: "The statement finds nothing.",
    save: "Save as CSV",
  },
  readiness: {
    filter: "Show",
    lacks: (all: readonly (readonly string[])[]) => {
      const number = (lack: string): number => all.filter((lacks) => lacks.includes(lack)).length;
      return [
        ["all", `Everybody (${all.length})`],
        ["signature", `Without a signature (${number("signature")})`],
        ["age", `Under age (${number("age")})`],
        ["orientation", `Without an orientation (${number("orientation")})`],
        ["picture", `Without a picture (${number("picture")})`],
        ["code", `Without a printed card (${number("code")})`],
      ] as const;
    },
    /** What somebody lacks, in a line. */
    line: ({ lacks, photo_consent }: { lacks: readonly string[]; photo_consent: boolean | null }) => {
      const words: Readonly<Record<string, string>> = {
        signature: "not signed",
        age: "under age",
        orientation: "not oriented",
        picture: "no picture",
        code: "no printed card",
      };
      const all = lacks.map((lack) => words[lack] ?? lack);
      return [
        ...(all.length === 0 ? ["ready"] : all),
        ...(photo_consent === false ? ["no photos"] : []),
      ].join(" · ");
    },
    nobody: "Nobody is in this list.",
    logged: "Export, print and single signatures are noted in the log with your name.",
    export: "Export signatures",
    sheet: "Signatures",
    noText: "This text is not stored.",
    version: (version: string) => `Waiver, version ${version}`,
    printColumns: ["Name", "Alias", "Guardian", "Signed", "Photos"],
    printRow: ({
      full_name,
      alias,
      guardian_name,
      signed_at,
      on_paper,
      photo_consent,
      deleted_at,
    }: SignedFacts) => [
      full_name,
      deleted_at === null ? (alias ?? "") : "account deleted",
      guardian_name ?? "",
      `${signed_at.slice(0, 16).replace("T", " ")} UTC${on_paper ? ", on paper" : ""}`,
      photo_consent === null ? "" : photo_consent ? "yes" : "no",
    ],
    signature: "Signature",
    paperButton: "Paper",
    show: "Show what is stored",
    showOf: (alias: string) => `Signature of ${alias}`,
    showText: "With the date of birth and the emergency contact. The log notes that you have seen it.",
    facts: (one: SignedFacts): readonly (readonly [string, string])[] =>
      (
        [
          ["Name", one.full_name],
          ["Guardian", one.guardian_name],
          [
            "Signed",
            `${one.signed_at.slice(0, 16).replace("T", " ")} UTC${one.on_paper ? ", on paper" : ""}`,
          ],
          ["Version", `${one.version}${one.counts ? "" : " (an earlier text)"}`],
          ["Date of birth", one.birth_date],
          ["In an emergency", one.emergency_contact],
          ["Photos", one.photo_consent === null ? null : one.photo_consent ? "yes" : "no"],
          ["Address", one.address],
        ] as const
      ).flatMap(([name, value]) => (value == null ? [] : [[name, value] as const])),
    paperOf: (alias: string) => `Paper of ${alias}`,
    paper: (alias: string) => `Paper of ${alias}`,
    paperText: "Enter what is signed on paper, for the present text. Keep the paper.",
    fullName: "Full name on the paper",
    guardian: "Guardian's name (only for somebody under age)",
    guardianHint: "With a guardian's signature that you enter, they need not wait any more.",
    guardianModerator: "A game master still has to admit them.",
    birthDate: "Date of birth",
    contact: "Whom to call in an emergency",
    onlyIfAsked: "Only if the waiver asks for it.",
    entered: (alias: string, isWaiting: boolean) =>
      isWaiting
        ? `The paper of ${alias} is entered. A game master still has to admit them.`
        : `The paper of ${alias} is entered.`,
    repeated: (alias: string) => `${alias} had signed already; nothing has changed.`,
    remind: (n: number) => `Remind ${count(n, "player")}`,
    message: "Message",
    reminderTitle: "Before the game",
    reminder: "Something is missing before you can play: open the app, and do what it asks for.",
    reminded: (n: number) => `${count(n, "player")} will be reminded.`,
    labelled: (label: string) => `They get the label ${label}, and the message goes to it.`,
    cards: "Print cards",
    mark: "These cards are printed",
    marked: (n: number) => `${count(n, "card")} marked as printed.`,
  },
  print: {
    what: "Sheet",
    sheets: [
      ["posters", "Posters to join"],
      ["cards", "Cards with tag codes"],
      ["slips", "Slips with supply codes"],
    ] as const,
    submit: "Print",
    address: "Address that players open",
    addressHint:
      "This browser knows the service only by an address of this machine, which phones cannot open. If they reach it by another one, type it here, such as hvz.example.",
    addressError: "Others cannot open this address.",
    qr: (text: string) => `QR code of ${text}`,
    cards: (n: number, pages: number) => `${count(n, "card")} on ${count(pages, "page")}, eight on each.`,
    nobody: "There are no humans.",
    hidden:
      "You play, or have played, so the codes of others are hidden from you. Ask a game master who does not play.",
    secret: "Give this code to the zombie who tags you, and to nobody else.",
    scan: "Scan to join",
    batch: "Codes",
    noBatch: "No codes have been made yet.",
    make: "Make codes",
    reading: "The log says that you have seen these codes. You cannot redeem them from then on.",
    show: "Show the codes",
    slips: (n: number, pages: number) => `${count(n, "slip")} on ${count(pages, "page")}, eight on each.`,
    left: (n: number) =>
      n === 1 ? "One code is left out: revoked or used up." : `${n} codes are left out: revoked or used up.`,
    noSlips: "All of these codes are revoked or used up.",
    redeem: (address: string) => `Scan it, or enter it at ${address}`,
    redeemInApp: "Enter it in the app, under Tag",
    stub: (label: string, number: number, n: number) => `${label} · ${number} of ${n}`,
  },
  codes: {
    lead: "Codes on paper for food, antidotes, points and badges. Players scan or type them.",
    back: "All codes",
    new: "New codes",
    none: "No codes have been made yet.",
    label: "Name",
    labelHint: "Such as Crates. It is the title of each slip.",
    n: "How many codes",
    uses: "Uses of each code",
    perPlayer: "Codes for each player",
    perPlayerHint: "How many of these a player can redeem, each once.",
    whom: "For whom",
    audiences: [
      ["zombies", "Zombies"],
      ["humans", "Humans"],
      ["all", "Everybody"],
    ] as const,
    does: "What it does to a zombie",
    kinds: [
      ["nothing", "Nothing"],
      ["food", "Gives food"],
      ["cure", "Makes them human (an antidote)"],
    ] as const,
    hours: "Hours of food",
    points: "Points (empty: none)",
    badge: "Badge (empty: none)",
    symbol: "Symbol of the badge",
    symbolHint: "One to eight characters, such as an emoji.",
    message: "What the player reads (empty: nothing)",
    from: "Valid from (empty: at once)",
    until: "Valid until (empty: the end)",
    place: "Where they are (optional)",
    placeHint: "Only game masters see it.",
    whoCan: { zombies: "zombies", humans: "humans", all: "everybody" } as Record<string, string>,
    makes: (n: number, whom: string) => `${count(n, "code")} for ${whom}.`,
    used: (uses: number, perPlayer: number, n: number) =>
      `${n === 1 ? "It works" : "Each works"} ${uses === 1 ? "once" : count(uses, "time")}${
        n === 1 || perPlayer >= n
          ? ""
          : `, and a player can redeem ${perPlayer === 1 ? "one" : NUMBER.format(perPlayer)} of them`
      }.`,
    gives: (what: string, n: number) => `${n === 1 ? "It" : "Each"} gives ${what}.`,
    food: (hours: string) => `${hours} of food`,
    antidote: "an antidote",
    somePoints: (n: number) => count(n, "point"),
    aBadge: (symbol: string, name: string) => `the badge ${symbol} ${name}`,
    reads: (text: string) => `The player reads: ${ended(text)}`,
    fullPeriod: "Food never gives more than a full feeding period from then.",
    onceASeason:
      "An antidote works once a season for each player, and for original zombies only if the settings say so.",
    notForHumans: "Food and antidotes do nothing to humans: choose zombies or everybody.",
    validFrom: (from: string) => `Valid from ${from}.`,
    validUntil: (until: string) => `Valid until ${until}.`,
    validBetween: (from: string, until: string) => `Valid from ${from} until ${until}.`,
    at: (place: string) => `Place: ${ended(place)}`,
    seen: "You cannot redeem these codes yourself.",
    revoked: (n: number, all: number) =>
      n === all ? "All are revoked." : n === 1 ? "One is revoked." : `${NUMBER.format(n)} are revoked.`,
    title: (n: number) => `Make ${count(n, "code")}`,
    made: (n: number) => `${count(n, "code")} made.`,
    incomplete: "Give them a name, and something that they give.",
    review: "Review and make",
    sheet: "Print the sheet",
    redeemed: (n: number, all: number) => `${NUMBER.format(n)} of ${count(all, "use")} redeemed`,
    redemptions: "Redemptions",
    noRedemptions: "Nobody has redeemed one yet.",
    code: (number: number) => `code ${number}`,
    late: (time: string) => `arrived ${time}`,
    hidden: "a player who has left, or is hidden",
    undone: (time: string) => `undone ${time}`,
    undoTitle: (alias: string) => `Take back what ${alias} got`,
    undoDone: "It is taken back. The code can be redeemed again.",
    revokeTitle: (label: string) => `Revoke the codes “${label}”`,
    revokeEffects: [
      "Nobody can redeem them any more.",
      "What was redeemed stays. You can undo each redemption below.",
    ],
    revokeDone: (n: number) => `${count(n, "code")} revoked.`,
  },
  keys: {
    find: "Find a player",
    commands: "Commands of this page",
    command: "Search; Enter runs the first",
    noCommand: "This page has no such command.",
    enter: "In Find: open the first player",
    escape: "Close a dialog",
    list: "Show this list",
  },
  effect: (
    { effect, alias }: Pick<Effect, "effect" | "alias">,
    many = 1,
    cause: "tag" | "code" = "tag",
  ): string => EFFECTS[effect](alias ?? "a player who has left", many, cause),
  state: {
    human: "human",
    zombie: "zombie",
    corpse: "corpse",
    spectator: "spectator",
  } satisfies Record<State, string>,
  period: periodText,
};

/**
 * Mutants that change nothing anybody could see, each with the reason. They are known by what stood there, the line
 * around it and what stands there now, not by a number, so that the list does not rot: one that is no mutant any more,
 * or is found all the same, has to be taken off it.
 */
import type { Mutant } from "./stryker.ts";

interface Equivalent {
  file: string;
  /** The line, without its indentation. */
  line: string;
  text: string;
  replacement: string;
  why: string;
}

const announcement = "lib/domain/gameEvents.ts";
const ancestry = "lib/domain/ancestry.ts";
const meals = "lib/domain/feeding.ts";
const undead = "deadline and epoch are there together, or neither is";
const noTime =
  "who is a living zombie, or carries a code, has the time of it: no other text is asked for its instant";
const later = { file: "lib/domain/time.ts", line: "one !== null && one > other ? one : other;" };
const inOrder = {
  file: ancestry,
  line: "a.at === b.at ? (a.infection_id < b.infection_id ? -1 : 1) : a.at < b.at ? -1 : 1;",
};

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: announcement,
    line: "const WHAT = Object.keys(KIND_OF).filter((what): what is What => what in KIND_OF);",
    text: "Object.keys(KIND_OF).filter((what): what is What => what in KIND_OF)",
    replacement: "Object.keys(KIND_OF)",
    why: "the filter is there for the types: every key of a table is in it",
  },
  {
    file: announcement,
    line: "deadline !== null &&",
    text: "deadline !== null",
    replacement: "true",
    why: "there for the types: no deadline counts as one long past",
  },
  {
    file: announcement,
    line: "if (deadline === undefined || listener.deadline !== deadline || !livesAsZombie(listener, telling))",
    text: "deadline === undefined",
    replacement: "false",
    why: "there for the types: no listener's deadline is undefined, so the next condition holds",
  },
  {
    ...inOrder,
    text: "a.infection_id < b.infection_id",
    replacement: "a.infection_id <= b.infection_id",
    why: "no two infections have one id",
  },
  {
    ...inOrder,
    text: "a.at < b.at",
    replacement: "a.at <= b.at",
    why: "that they are equal has been asked before",
  },
  {
    file: ancestry,
    line: "children: [],",
    text: "[]",
    replacement: '["Stryker was here"]',
    why: "every node that is shown gets its children when its generation is reached",
  },
  {
    file: "lib/domain/push.ts",
    line: ".toSorted((one, other) => (age(one) < age(other) ? -1 : 1))",
    text: "age(one) < age(other)",
    replacement: "age(one) <= age(other)",
    why: "no two subscriptions have one id, and the id is part of what is compared",
  },
  {
    ...later,
    text: "one !== null",
    replacement: "true",
    why: "there for the types: null is greater than no text",
  },
  { ...later, text: "one > other", replacement: "one >= other", why: "of two equal texts either will do" },
  {
    file: "lib/domain/hunt.ts",
    line: 'if (huntedAt < instantOf(hunter.infected_at ?? "")) {',
    text: '""',
    replacement: '"Stryker was here!"',
    why: noTime,
  },
  {
    file: "lib/domain/hunt.ts",
    line: 'if (huntedAt < instantOf(prey.code_since ?? "")) {',
    text: '""',
    replacement: '"Stryker was here!"',
    why: noTime,
  },
  {
    file: "lib/domain/void.ts",
    line: 'effects: id === null ? [] : [{ player: player?.player_id ?? id, effect: "unchanged", state }],',
    text: "[]",
    replacement: '["Stryker was here"]',
    why: "there for the types: a hunt has a target",
  },
  {
    file: "lib/domain/void.ts",
    line: "const fed = [...(hunter === null ? [] : [hunter]), ...shared_with];",
    text: "hunter === null",
    replacement: "false",
    why: "nobody has nothing that could be taken back",
  },
  {
    file: "lib/domain/void.ts",
    line: 'const before = named.get(hunt.target ?? "");',
    text: '""',
    replacement: '"Stryker was here!"',
    why: "there for the types: a hunt has a target, and no player has either of these ids",
  },
  {
    file: meals,
    line: "return (one: Meal, other: Meal): Meal => (end(other) > end(one) ? other : one);",
    text: "end(other) > end(one)",
    replacement: "end(other) >= end(one)",
    why: "of two meals that last until one instant either will do",
  },
  {
    file: meals,
    line: "other === null ? one : later(one, other);",
    text: "other === null",
    replacement: "false",
    why: "only the first meal may have no time, and it is never the other one",
  },
  {
    file: meals,
    line: "if (deadline === null || epoch === null) return meals;",
    text: "deadline === null",
    replacement: "false",
    why: undead,
  },
  {
    file: meals,
    line: "if (deadline === null || epoch === null) return meals;",
    text: "epoch === null",
    replacement: "false",
    why: undead,
  },
  {
    file: meals,
    line: "if (deadline === null || epoch === null) return meals;",
    text: "deadline === null || epoch === null",
    replacement: "deadline === null && epoch === null",
    why: undead,
  },
  {
    file: meals,
    line: "if (lasting === undefined) return [];",
    text: "[]",
    replacement: '["Stryker was here"]',
    why: "there for the types: who is fed is a zombie, and lives by something",
  },
  {
    file: meals,
    line: "last_fed_at: player.last_fed_at === taken.at ? fedAt : player.last_fed_at,",
    text: "player.last_fed_at === taken.at",
    replacement: "true",
    why: "where the time is not that of the meal taken back, it is the latest of the others",
  },
  ...[
    {
      line: 'expect: read === null ? "absent" : { rev: read.rev },',
      text: '"absent"',
      replacement: '""',
      why: "the credential of a player whose id was drawn a moment ago: nobody else can have written it",
    },
    {
      line: "return { changes: decided.changes, answer: { status: 200, body: null } };",
      text: "{ status: 200, body: null }",
      replacement: "{}",
      why: "the answer of a command beside a request is neither kept nor given to anybody",
    },
    ...[
      ["value === undefined", "false"],
      ['"a command ended without a decision"', '""'],
    ].map(([text = "", replacement = ""]) => ({
      line: 'if (value === undefined) throw new Error("a command ended without a decision");',
      ...{ text, replacement },
      why: "there for the types: what comes back has been decided",
    })),
    {
      line: "const all = withSession(sessions?.sessions ?? [], session, lifetimeOf(player));",
      text: "[]",
      replacement: '["Stryker was here"]',
      why: "what is no live session is dropped",
    },
    {
      line: "const isThere = sessions !== null && session !== undefined && isLive(session, lifetimeOf(player), now);",
      text: "sessions !== null",
      replacement: "true",
      why: "there for the types: a session is found among sessions",
    },
    {
      line: 'const { playerId = "", hash = "" } = token ?? {};',
      text: '""',
      replacement: '"Stryker was here!"',
      why: "without a token neither is asked for",
    },
  ].map((one) => ({ file: "lib/app/accounts/accounts.ts", ...one })),
  ...["player !== null", "credential !== null"].map((text) => ({
    file: "lib/auth/loginAttempts.ts",
    line: "if ((await right) && player !== null && credential !== null) return { player, credential };",
    text,
    replacement: "true",
    why: "there for the types: no password is right where there is no account",
  })),
  {
    file: "lib/app/accounts/accounts.ts",
    line: 'const as = wanted.playing ? "human" : "spectator";',
    text: '"spectator"',
    replacement: '""',
    why: "whoever registers is asked whether they are a human, and nothing else",
  },
  {
    file: "lib/auth/authenticate.ts",
    line: 'override readonly name = "LookupFault";',
    text: '"LookupFault"',
    replacement: '""',
    why: "its name is shown to nobody: whoever catches it tells what caused it",
  },
  {
    file: "lib/auth/authenticate.ts",
    line: 'throw new LookupFault("the player could not be looked up", { cause });',
    text: '"the player could not be looked up"',
    replacement: '""',
    why: "its words are shown to nobody either",
  },
  {
    file: "lib/auth/authenticate.ts",
    line: 'if (session !== undefined && !isFresh && firstRead.status === "fulfilled" && firstRead.value === null) {',
    text: 'firstRead.status === "fulfilled"',
    replacement: "true",
    why: "there for the types: what has failed has no value, and so none that is null",
  },
  {
    file: "lib/auth/authenticate.ts",
    line: 'const lifetime = lifetimeOf(playerRead.status === "fulfilled" ? playerRead.value : null);',
    text: 'playerRead.status === "fulfilled"',
    replacement: "true",
    why: "there for the types: what has failed has no value, and nobody's lifetime is as that of null",
  },
  {
    file: "lib/auth/authenticate.ts",
    line: "if (sessions === null || session === undefined || !isLive(session, lifetime, now)) {",
    text: "sessions === null",
    replacement: "false",
    why: "there for the types: in no sessions there is no session",
  },
  {
    file: "lib/auth/loginAttempts.ts",
    line: "if (owner === null) return read(nobodysId(alias), how);",
    text: "owner === null",
    replacement: "false",
    why: "nobody has the id null either: what is read instead is not theirs, twice, and it ends with the same",
  },
  ...[
    [
      'error instanceof Refusal && error.code === "bad_credentials"',
      'error instanceof Refusal || error.code === "bad_credentials"',
    ],
    ['error.code === "bad_credentials"', "true"],
  ].map(([text = "", replacement = ""]) => ({
    file: "lib/auth/loginAttempts.ts",
    line: 'if (!(error instanceof Refusal && error.code === "bad_credentials")) throw error;',
    ...{ text, replacement },
    why: "those who judge refuse with this code alone, and no other fault has it",
  })),
  {
    file: "lib/auth/passwordChange.ts",
    line: 'const check = passwordChecker(wanted.current_password ?? "", cost);',
    text: '""',
    replacement: '"Stryker was here!"',
    why: "there for the types: without a password it is a code that is checked",
  },
  ...[
    ["player === null", "false"],
    ["credential === null", "false"],
    ["recovery === null", "false"],
    ["player === null || credential === null", "false"],
    ["player === null || credential === null", "player === null && credential === null"],
    ["player === null || credential === null || recovery === null", "false"],
    [
      "player === null || credential === null || recovery === null",
      "(player === null || credential === null) && recovery === null",
    ],
  ].map(([text = "", replacement = ""]) => ({
    file: "lib/auth/passwordChange.ts",
    line: "if (player === null || credential === null || recovery === null || !isRightCode(code, recovery, now)) {",
    ...{ text, replacement },
    why: "there for the types: a code is right where there is one, and there is none without an account",
  })),
  {
    file: "lib/auth/password.ts",
    line: 'const bytesOf = (password: string): Buffer => Buffer.from(password.normalize("NFC"), "utf8");',
    text: '"utf8"',
    replacement: '""',
    why: "what Node.js takes where nothing is said",
  },
  {
    file: "lib/auth/password.ts",
    line: "const [, memory, passes, parallelism, salt, tag] = ENCODED.exec(encoded) ?? [];",
    text: "[]",
    replacement: '["Stryker was here"]',
    why: "the first is not read",
  },
  ...[
    ["salt === undefined", "false"],
    ["tag === undefined", "false"],
    ["salt === undefined || tag === undefined", "salt === undefined && tag === undefined"],
  ].map(([text = "", replacement = ""]) => ({
    file: "lib/auth/password.ts",
    line: 'if (salt === undefined || tag === undefined) throw new Error("a stored password hash has an unknown form");',
    ...{ text, replacement },
    why: "there for the types: both are there, or neither is",
  })),
  {
    file: "lib/auth/token.ts",
    line: "const [, token] = /^bearer +(\\S+) *$/i.exec(authorization) ?? [];",
    text: "[]",
    replacement: '["Stryker was here"]',
    why: "what is read is the second, and neither has one",
  },
  {
    file: "lib/domain/checkpoint.ts",
    line: "if (checkpoint.closes_at !== null && instantOf(checkpoint.closes_at) <= moment.now) {",
    text: "checkpoint.closes_at !== null",
    replacement: "true",
    why: "there for the types: no time is no number, which is before nothing",
  },
];

const isThat = (one: Equivalent, { file, at, text, replacement }: Omit<Mutant, "fate">): boolean =>
  one.file === file && one.line === at && one.text === text && one.replacement === replacement;

export const isEquivalent = (mutant: Omit<Mutant, "fate">): boolean =>
  EQUIVALENT.some((one) => isThat(one, mutant));

/** What stands on the list and should not: of these mutants, which are all there are of their files. */
export const rotten = (mutants: readonly Mutant[]): string[] => {
  const files = new Set(mutants.map(({ file }) => file));
  return EQUIVALENT.filter(({ file }) => files.has(file)).flatMap((one) => {
    const same = mutants.filter((mutant) => isThat(one, mutant));
    const said = `${one.file}: ${one.text} -> ${one.replacement}`;
    if (same.length === 0) return [`${said}: is no mutant any more`];
    return same.every(({ fate }) => fate === "equivalent") ? [] : [`${said}: is found all the same`];
  });
};

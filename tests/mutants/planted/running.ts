/** Bugs in what runs a deployment: its keys, its log, its counts. */
import type { Bug } from "../bug.ts";

export const RUNNING: readonly Bug[] = [
  {
    name: "a-key-is-used-before-all-have-read-it",
    file: "lib/domain/rotation.ts",
    find: "newestFirst.find(({ since }) => since <= at)",
    replace: "newestFirst.find(({ since }) => since <= at + 600_000)",
    by: [["unit/deploymentKeys", "are tried in this order"]],
    harm: "after a change of keys lists break in the middle for minutes",
  },
  {
    name: "old-keys-are-not-tried",
    file: "lib/domain/rotation.ts",
    find: "[used, ...newestFirst.filter((key) => key !== used)]",
    replace: "[used]",
    by: [["behaviour/inside/rotation", "lead on from a page that was read before"]],
    harm: "a change of keys breaks every list that is being read",
  },
  {
    name: "another-key-is-tried-for-google-alone",
    file: "lib/push/fate.ts",
    find: "status === 401 || status === 403",
    replace: "status === 403",
    by: [["behaviour/inside/rotation", "reach every browser by the key"]],
    harm: "after a change of keys some Firefoxes hear nothing more",
  },
  {
    name: "parameters-are-read-once-and-never-again",
    file: "lib/secrets/parameters.ts",
    find: "if (known !== undefined && clock() < known.until)",
    replace: "if (known !== undefined)",
    by: [["unit/deploymentKeys", "again after five minutes"]],
    harm: "a function that lives long never hears of a new key",
  },
  {
    name: "keys-that-cannot-be-read-just-now-are-forgotten",
    file: "lib/secrets/parameters.ts",
    find: "if (known === undefined) throw error;",
    replace: "throw error;",
    by: [["unit/deploymentKeys", "serve on while they cannot be read"]],
    harm: "a minute of trouble with Systems Manager stops every list",
  },
  {
    name: "the-log-names-who-asked",
    file: "lib/invocation.ts",
    find: 'createHash("sha256").update(playerId).digest("base64url").slice(0, SHOWN)',
    replace: "playerId.slice(0, 36)",
    by: [["behaviour/inside/seeing", "names nobody who was not let in"]],
    harm: "whoever has the log alone knows who plays what",
  },
  {
    name: "writes-are-told-as-reads",
    file: "lib/invocation.ts",
    find: "invocation[what] += units;",
    replace: "invocation.read += units;",
    by: [["behaviour/inside/seeing", "counts a hunt and a login as the benches do"]],
    harm: "what a request takes cannot be told, and a bill not explained",
  },
];

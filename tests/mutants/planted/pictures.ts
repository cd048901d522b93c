/** Bugs in what is done with pictures. */
import type { Bug } from "../bug.ts";

const running = "lib/images/decodeInChild.ts";

export const PICTURES: readonly Bug[] = [
  {
    name: "a-picture-may-be-as-long-as-it-likes",
    file: "lib/images/limits.ts",
    find: "if (Math.max(width, height) > LONGEST_SIDE) throw tooLarge();",
    replace: "",
    by: [["unit/picture", "is refused by its header before it is decoded"]],
    harm: "a file of 97 KB keeps a processor busy for nine seconds",
  },
  {
    name: "a-decoder-is-never-killed",
    file: running,
    find: 'const kill = () => child.kill("SIGKILL");',
    replace: "const kill = () => {};",
    by: [["unit/decoder", "is killed when the picture takes too long"]],
    harm: "one hostile picture after the other, and no picture is set any more",
  },
  {
    name: "a-decoder-outlives-the-service",
    file: "lib/images/decodeChild.ts",
    find: 'process.stdin.on("close", () => process.kill(process.pid, "SIGKILL"));',
    replace: "setInterval(() => {}, 1_000);",
    by: [["unit/decoder", "ends when its parent is killed"]],
    harm: "processes pile up on the machine with every restart",
  },
  {
    name: "a-decoder-has-the-keys-of-the-service",
    file: running,
    find: "env: childEnv()",
    replace: "env: process.env",
    by: [["unit/decoder", "nothing of the service's environment"]],
    harm: "a picture that takes over the decoder reads credentials",
  },
  {
    name: "all-pictures-are-decoded-at-once",
    file: "lib/images/fairQueue.ts",
    find: "if (!isBusy) next();",
    replace: "next();",
    by: [["unit/decoder", "is the only one at any time"]],
    harm: "ten pictures at once take all the memory there is",
  },
  {
    name: "pictures-are-decoded-in-the-order-they-come",
    file: "lib/images/fairQueue.ts",
    find: "waiting.findIndex(({ player }) => player !== latest)",
    replace: "0",
    by: [["unit/decoder", "lets players take turns"]],
    harm: "one player with ten pictures keeps all others from setting one",
  },
  {
    name: "a-player-sets-any-number-of-pictures",
    file: "functions/player/set_pfp.ts",
    find: "await drawPicture(call.services, playerId, call.now);",
    replace: "void drawPicture;",
    by: [["behaviour/inside/pictures", "gives one more each minute"]],
    harm: "a script sets pictures all day, and the club pays for it",
  },
];

/**
 * Loaded before a service under test (`node --require`): passwords cost it next to nothing. A third of what its stories
 * would take of the processor are hashes otherwise, and say nothing of what a hash costs; the services that the tests of
 * the project `start` have hash as production does.
 *
 * Not by `--import`: with it, serverless-offline cannot load what it reads TypeScript with.
 */
const crypto = require("node:crypto");
const { syncBuiltinESMExports } = require("node:module");
const { CHEAP } = require("./cost.ts");

const { argon2 } = crypto;

// What is stored tells the usual cost, and is checked at the same as it was made at.
crypto.argon2 = (algorithm, parameters, then) => argon2(algorithm, { ...parameters, ...CHEAP }, then);
syncBuiltinESMExports();

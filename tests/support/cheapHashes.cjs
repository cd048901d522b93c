/**
 * Makes password hashes cheap in a service under test, which loads this file first (`node --require`): otherwise hashes
 * would take a third of the processor time of the tests. Services of the project `start` hash as in production.
 *
 * With `--import` instead, serverless-offline could not load its TypeScript loader.
 */
const crypto = require("node:crypto");
const { syncBuiltinESMExports } = require("node:module");
const { CHEAP } = require("./cost.ts");

const { argon2 } = crypto;

// A stored hash names the usual cost; making and verifying it both use the cheap one.
crypto.argon2 = (algorithm, parameters, then) => argon2(algorithm, { ...parameters, ...CHEAP }, then);
syncBuiltinESMExports();

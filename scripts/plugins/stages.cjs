/** Stages whose game may be lost: `dev`, and names that start with `test`. */
const isForTests = (stage) => stage === "dev" || stage.startsWith("test");

module.exports = { isForTests };

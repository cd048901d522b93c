/** Stages whose game is nobody's loss: `dev`, and whatever begins with `test`. */
const isForTests = (stage) => stage === "dev" || stage.startsWith("test");

module.exports = { isForTests };

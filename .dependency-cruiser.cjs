/** The import rules. `npm run check` enforces them; docs/architecture.md draws them. */

// dependency-cruiser parses every file with these options of swc, but without JSX.
const swc = require("@swc/core");

const { parseFileSync } = swc;
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith(".tsx") });

/** The folders of `lib`, from the top down: each may import itself and those below it. */
const LAYERS = [
  "app",
  "jobs",
  "http",
  "lambda",
  "auth",
  "partiql",
  "images",
  "push",
  "mail",
  "queue",
  "secrets",
  "store",
  "dynamodb",
  "domain",
  "runtime",
];

const downwardsOnly = LAYERS.slice(1).map((layer, index) => ({
  name: `lib-${layer}-imports-downwards`,
  comment: "Imports in lib run downwards only.",
  severity: "error",
  from: { path: `^lib/${layer}/` },
  to: { path: `^lib/(${LAYERS.slice(0, index + 1).join("|")})/` },
}));

/** The same for the benches: the command, its parts, their own folders, and what they share. */
const BENCH_LAYERS = ["main\\.ts$", "[^/]+\\.ts$", "(capacity|push|routes|scale)/", "(support|peers)/"];

const benchDownwardsOnly = BENCH_LAYERS.slice(1).map((layer, index) => ({
  name: `bench-layer-${index + 2}-imports-downwards`,
  comment: "main.ts imports the parts, the parts their folders, and all of them support and peers.",
  severity: "error",
  from: { path: `^bench/${layer}` },
  to: { path: `^bench/(${BENCH_LAYERS.slice(0, index + 1).join("|")})` },
}));

/** The folders of the web app, from the top down. The entry points and the routes stand beside them. */
const WEB_LAYERS = [
  "[^/]+$",
  "worker/",
  "(player|staff)/",
  "ui/",
  "state/",
  "text/",
  "(paths|schemas)\\.ts$",
];

const webDownwardsOnly = WEB_LAYERS.slice(1).map((layer, index) => ({
  name: `web-layer-${index + 2}-imports-downwards`,
  comment: "Imports in web/src run downwards only: routes, pages, ui, state, text, paths.",
  severity: "error",
  from: { path: `^web/src/${layer}` },
  to: {
    path: `^web/src/(${WEB_LAYERS.slice(0, index + 1).join("|")})`,
    pathNot: "^web/src/(paths|schemas)\\.ts$",
  },
}));

/** Packages that only some folders of the deployed code may import. */
const ONLY_IN = [
  { name: "aws-sdk", packages: "@aws-sdk/", folders: "lib/(dynamodb|queue|secrets)" },
  { name: "middy", packages: "@middy/", folders: "lib/http" },
  { name: "push", packages: "(undici|web-push|ipaddr\\.js)/", folders: "lib/push" },
  { name: "mail", packages: "nodemailer/", folders: "lib/mail" },
  { name: "sharp", packages: "sharp/", folders: "lib/images" },
].map(({ name, packages, folders }) => ({
  name: `packages-of-${name}-only-where-they-belong`,
  comment: `Only ${folders} may import them.`,
  severity: "error",
  from: { path: "^(lib|functions)/", pathNot: `^${folders}/` },
  to: { path: `^node_modules/${packages}` },
}));

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      comment: "Also not by types.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    ...downwardsOnly,
    ...benchDownwardsOnly,
    ...webDownwardsOnly,
    {
      name: "web-has-known-folders",
      severity: "error",
      from: { path: "^web/src/.*/", pathNot: `^web/src/(${WEB_LAYERS.slice(1, -1).join("|")})` },
      to: {},
    },
    {
      name: "pages-of-players-and-of-staff-are-apart",
      severity: "error",
      from: { path: "^web/src/(player|staff)/" },
      to: { path: "^web/src/(player|staff)/", pathNot: "^web/src/$1/" },
    },
    {
      name: "lib-has-known-folders",
      comment: "A new folder of lib needs its place among the layers of .dependency-cruiser.cjs.",
      severity: "error",
      from: { path: "^lib/", pathNot: `^lib/(${LAYERS.join("|")})/` },
      to: {},
    },
    {
      name: "domain-is-pure",
      comment:
        "Time, ids and items are arguments; only zod, the offsets of time zones and the A-labels of domains may be imported.",
      severity: "error",
      from: { path: "^lib/domain/" },
      to: { pathNot: "^(lib/domain/|node_modules/(zod|@date-fns/tz)/|url$)" },
    },
    {
      name: "use-cases-know-no-http",
      comment:
        "They take typed input, and return results of which the view of an endpoint makes the response.",
      severity: "error",
      from: { path: "^lib/app/" },
      to: { path: "^(lib/http/|node_modules/zod/)" },
    },
    ...ONLY_IN,
    {
      name: "lib-and-functions-import-lib-only",
      comment: "Of this project, only lib is shared by what is deployed.",
      severity: "error",
      from: { path: "^(lib|functions)/" },
      to: { path: "^(functions|scripts|bench|tests|web)/" },
    },
    {
      name: "deployed-code-has-no-development-packages",
      comment:
        "Only their types may be imported: they are not deployed, and some have a license for tests alone.",
      severity: "error",
      from: { path: "^(lib|functions)/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "only-tests-simulate-policies",
      comment: "The license of the simulator is AGPL (docs/dependencies.md).",
      severity: "error",
      from: {},
      to: { path: "^node_modules/@cloud-copilot/" },
    },
    {
      name: "commands-are-entry-points",
      severity: "error",
      from: { pathNot: "^tests/" },
      to: { path: "^scripts/commands/" },
    },
    {
      name: "cli-knows-no-command",
      severity: "error",
      from: { path: "^scripts/cli/" },
      to: { path: "^scripts/", pathNot: "^scripts/(cli|project)/" },
    },
    {
      name: "scripts-import-no-bench",
      severity: "error",
      from: { path: "^scripts/" },
      to: { path: "^bench/" },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API that dependency-cruiser could use.
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".cjs", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default"],
    },
  },
};

/** Tests of pages, commands and deployments (`npm run test:e2e`), and of the API document (`npm run test:api`). */
import { defineConfig } from "vitest/config";
import { COMMAND_TIMEOUTS, common, longestFirst, OVER_HTTP, PACKAGED, quiet } from "./vitest.config.ts";

export default defineConfig({
  test: {
    ...common,
    // Files that take at least eight seconds, about the longest first.
    sequence: {
      sequencer: longestFirst(
        (
          "http/webTyping http/readme http/webWeek http/webEveryPage http/webEngines http/webApp " +
          "http/webFiles http/webNetworks http/webForms http/webArrivals http/webGm http/webNames http/webDevice " +
          "http/webErrors deployment/deploy deployment/bundles http/commands http/webMade http/doctor http/demo " +
          "http/webFirefox http/webOutbreak http/webUpdate http/webPieces http/webHold http/dev http/queue"
        ).split(" "),
      ),
    },
    projects: [
      {
        test: {
          ...OVER_HTTP,
          // Players and game masters in Chromium, Firefox and WebKit, with the real service behind the pages.
          name: "web",
          include: ["tests/http/web*.test.ts"],
          // A driver of a browser can lose a click between two steps of a test. A test that fails twice fails, and the
          // report names each that was repeated.
          retry: process.env.CI === undefined ? 0 : 1,
          // The files of a worker share the browsers and the service, too.
          isolate: false,
        },
      },
      {
        test: {
          // Commands and start-ups. Each file has its own ports and files.
          name: "start",
          include: [
            ...["commands", "demo", "dev", "doctor", "localService", "logs"],
            ...["queue", "readme", "rotate"],
          ].map((name) => `tests/http/${name}.test.ts`),
          env: quiet,
          isolate: false,
          ...COMMAND_TIMEOUTS,
        },
      },
      {
        test: {
          ...PACKAGED,
          ...COMMAND_TIMEOUTS,
          // All of these wait for the packages, because the framework builds everything in one folder.
          name: "deployment",
          include: ["bundles", "deploy", "sharp", "teardown"].map(
            (name) => `tests/deployment/${name}.test.ts`,
          ),
        },
      },
      {
        test: {
          ...OVER_HTTP,
          // Independent tools check the API document against the running service: npm run test:api.
          name: "api",
          include: ["tests/api/*.test.ts"],
        },
      },
      {
        test: {
          ...OVER_HTTP,
          // The packages under AWS's own runtime loop, on AWS's emulator: npm run test:emulator.
          name: "packages",
          globalSetup: ["tests/emulator/setup.ts"],
          include: ["tests/emulator/*.test.ts"],
          testTimeout: 600_000,
        },
      },
    ],
  },
});

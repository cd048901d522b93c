/** `npm run bench`: how fast it is, on this machine. */
import { parseArgs } from "node:util";
import { runCommand, UserError } from "./local/userError.ts";

const HELP = `Measures, and checks what it measures.

  npm run bench                    requests over HTTP, one after the other, on a game in memory: 300 of each kind
  npm run bench -- --requests 50   so many of each kind
  npm run bench -- push            messages to a push service on this machine, beside the library web-push and
                                   beside encryption alone; also written to bench/results/push.json
  npm run bench -- push --quick    few messages: to see that it works

Times over HTTP are the whole exchange as a client on this machine sees it.
`;

// Loaded by whoever asks for it, for each must not weigh on the other.
const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean" },
      quick: { type: "boolean", default: false },
      requests: { type: "string", default: "300" },
    },
  });
  const [what = "http"] = positionals;
  if (values.help === true) console.log(HELP);
  else if (what === "http") await (await import("./bench/http.ts")).httpBench(Number(values.requests));
  else if (what === "push") await (await import("./bench/push.ts")).pushBench(values.quick);
  // What the push bench starts beside itself.
  else if (what === "push-sink") await (await import("./bench/push/sink.ts")).runSink();
  else if (what === "push-subject") await (await import("./bench/push/subject.ts")).runSubject();
  else throw new UserError(`There is no bench ${what}: say http or push.`);
  return 0;
};

await runCommand(main);
process.exit();

/** Runs a command with its options. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { reportErrors, UserError } from "./userError.ts";

/** What a command prints for `--help`, and which options it takes. */
interface Usage<Options extends ParseArgsOptionsConfig> {
  help: string;
  /** Its options but for `--help`. */
  options: Options;
  /** Whether it takes arguments that are no options. */
  takesNames?: boolean;
}

/** Options of npm too, which its own settings may name. */
const NPMS_OWN = ["force", "json", "yes"];

/** npm keeps options before which `--` is missing. @throws UserError if one of them is of the command */
const requireNoneKept = (names: readonly string[]): void => {
  const { env } = process;
  const kept = names
    .filter((name) => !NPMS_OWN.includes(name) && env[`npm_config_${name.replaceAll("-", "_")}`])
    .map((name) => `--${name}`);
  if (kept.length === 0) return;
  throw new UserError(
    `npm has kept ${kept.join(" and ")} for itself. Put -- before the options, as in: npm run ${env.npm_lifecycle_event} -- ${kept[0]}`,
  );
};

/**
 * Runs a command and sets the exit code: the result of `main`, or 1 after an error. Errors that the user can fix are
 * reported by their message, others with their stack.
 * @param main is called with the options, and with the arguments that are no options
 */
export const runCommand = <Options extends ParseArgsOptionsConfig>(
  { help, options, takesNames = false }: Usage<Options>,
  main: (
    values: ReturnType<typeof parseArgs<{ options: Options }>>["values"],
    names: readonly string[],
  ) => Promise<number>,
): Promise<void> =>
  reportErrors(async () => {
    if (process.argv.includes("--help")) {
      console.log(help);
      return 0;
    }
    requireNoneKept(Object.keys(options));
    const { values, positionals } = parseArgs({ options, allowPositionals: takesNames });
    return main(values, positionals);
  });

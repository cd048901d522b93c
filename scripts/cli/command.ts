/** Runs a command with its options. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { reportErrors } from "./userError.ts";

/** What a command prints for `--help`, and which options it takes. */
interface Usage<Options extends ParseArgsOptionsConfig> {
  help: string;
  /** Its options but for `--help`. */
  options: Options;
  /** Whether it takes arguments that are no options. */
  takesNames?: boolean;
}

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
    const { values, positionals } = parseArgs({ options, allowPositionals: takesNames });
    return main(values, positionals);
  });

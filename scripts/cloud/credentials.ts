/** Chooses the AWS credentials of a command and of the framework that it runs. */

const KEY_PARTS = ["ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"];

/** The source of this process's credentials. */
export interface CredentialSource {
  /** The variable that selects them, or a description if there is none. */
  from: string;
  /** A note if other variables are set too, without a full stop; otherwise `null`. */
  advice: string | null;
}

/**
 * Chooses the credentials of a stage in the same order as the framework
 * (node_modules/serverless/lib/aws/credentials.js), and sets the environment so that all clients and child processes
 * use them.
 * @param stage the stage whose own variables count, such as `AWS_SPRING_PROFILE` for `spring`; `null` for no stage
 */
export const chooseCredentials = (
  stage: string | null,
  environment: NodeJS.ProcessEnv = process.env,
): CredentialSource => {
  const value = (name: string): string => environment[name] ?? "";
  /** The variables that select a profile or keys, in order of precedence. */
  const starts = [...(stage === null ? [] : [`AWS_${stage.toUpperCase()}`]), "AWS"];
  const found = starts.flatMap((start) => [
    ...(value(`${start}_PROFILE`) === ""
      ? []
      : [{ from: `${start}_PROFILE`, profile: value(`${start}_PROFILE`), keys: ["", "", ""] }]),
    ...(value(`${start}_ACCESS_KEY_ID`) === "" || value(`${start}_SECRET_ACCESS_KEY`) === ""
      ? []
      : [
          {
            from: `${start}_ACCESS_KEY_ID`,
            profile: "",
            keys: KEY_PARTS.map((part) => value(`${start}_${part}`)),
          },
        ]),
  ]);
  const usual = value("AWS_DEFAULT_PROFILE");
  if (usual !== "") found.push({ from: "AWS_DEFAULT_PROFILE", profile: usual, keys: ["", "", ""] });
  const [first, ...others] = found;
  if (first === undefined) return { from: "the default profile or the role of this machine", advice: null };
  environment.AWS_PROFILE = first.profile;
  for (const [at, part] of KEY_PARTS.entries()) environment[`AWS_${part}`] = first.keys[at];
  const unused = others.filter(({ profile }) => profile === "" || profile !== first.profile);
  return {
    from: first.from,
    advice:
      unused.length === 0
        ? null
        : `${first.from} is used; ${unused.map(({ from }) => from).join(" and ")} ${unused.length === 1 ? "is" : "are"} also set and ignored`,
  };
};

/** The page of the set-up address, whose secret makes its first visitor the game master. */
import { useCallback, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../paths.ts";
import { api, GameError } from "../../state/api.ts";
import { useSubmit, useValue } from "../../state/resource.ts";
import { join } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CodeText } from "../../ui/codeText.tsx";
import { EnterForm, NewAlias, NewPassword } from "./enter.tsx";

const COMMAND = "npm run create-admin -- --alias gm";

const Useless = ({ title, text }: { title: string; text: string }) => (
  <main class="page">
    <div class="stack card">
      <h1>{title}</h1>
      <p class="muted">{text}</p>
      <p>
        <CodeText text={COMMAND} />
      </p>
      <ButtonLink text={en.login.submit} kind="primary" href={paths.login} />
    </div>
  </main>
);

const codeOf = (error: unknown): string | null => (error instanceof GameError ? error.code : null);

export const SetUp = () => {
  const { route } = useLocation();
  const [alias, setAlias] = useState("");
  const [password, setPassword] = useState("");
  const setup = location.hash.slice(1);
  const form = useSubmit(
    async (keyOf) => {
      const newcomer = { alias, password, setup };
      await join(newcomer, keyOf(newcomer));
      route(paths.gm.now, true);
    },
    { alias_taken: "alias" },
  );
  // Without a response, the form tells.
  const check = useCallback(() => api.post("/check_setup", { body: { setup } }), [setup]);
  const state = useValue(check)?.state;
  const code = codeOf(form.error);
  if (state === "used" || code === "already_set_up")
    return <Useless title={en.setUp.usedTitle} text={en.setUp.used} />;
  if (setup === "" || state === "wrong" || code === "bad_credentials")
    return <Useless title={en.setUp.wrongTitle} text={en.setUp.wrong} />;
  return (
    <EnterForm title={en.setUp.title} lead={en.setUp.lead} submitText={en.setUp.submit} form={form}>
      <NewAlias value={alias} onChange={setAlias} />
      <NewPassword value={password} onChange={setPassword} />
    </EnterForm>
  );
};

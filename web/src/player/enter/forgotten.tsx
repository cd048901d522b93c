/** The page that asks for a link to set a new password. */
import { useState } from "preact/hooks";
import { paths } from "../../paths.ts";
import { api } from "../../state/api.ts";
import { useSubmit } from "../../state/resource.ts";
import { en } from "../../text/en.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { EnterForm } from "./enter.tsx";

export const Forgotten = () => {
  const [name, setName] = useState("");
  const [isSent, setSent] = useState(false);
  const form = useSubmit(async () => {
    await api.post("/forgot_password", { body: { alias_or_email: name } });
    setSent(true);
  });
  if (!isSent)
    return (
      <EnterForm
        title={en.forgotten.title}
        lead={en.forgotten.lead}
        submitText={en.forgotten.submit}
        form={form}
        others={[{ href: paths.login, text: en.join.other }]}
      >
        <Field
          label={en.forgotten.name}
          name="alias_or_email"
          value={name}
          onChange={setName}
          autoComplete="username"
        />
      </EnterForm>
    );
  return (
    <main class="page">
      <div class="stack card">
        <h1>{en.forgotten.sentTitle}</h1>
        <p>{en.forgotten.sent}</p>
        <p class="muted">{en.forgotten.otherwise}</p>
        <ButtonLink text={en.login.submit} kind="primary" href={paths.login} />
      </div>
    </main>
  );
};

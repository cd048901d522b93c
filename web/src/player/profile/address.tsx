/** The player's e-mail address: whether it is confirmed, another link, and a change of it. */
import { useState } from "preact/hooks";
import { api, type Player } from "../../state/api.ts";
import { useSubmit } from "../../state/resource.ts";
import { refresh } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote, FormError } from "../../ui/feedback.tsx";
import { Field, FormErrors } from "../../ui/field.tsx";

const edit = async (body: { email: string | null; current_password?: string }): Promise<void> => {
  await api.post("/edit_player/{url_id}", { body });
  await refresh();
};

/** The address to which a link was sent. */
const SendAgain = ({ address }: { address: string }) => {
  const [isSent, setSent] = useState(false);
  const form = useSubmit(async () => {
    await edit({ email: address });
    setSent(true);
  });
  return (
    <>
      <p>{en.address.waiting(address)}</p>
      <ErrorNote error={form.error} />
      {isSent ? (
        <p role="status">{en.address.sentAgain}</p>
      ) : (
        <Button text={en.address.sendAgain} disabled={form.isSending} onClick={form.submit} />
      )}
    </>
  );
};

/** Whether announcements also come by mail, saved as soon as it is toggled. */
const Announcements = ({ player: { email_confirmed, mail_kinds } }: { player: Player }) => {
  const isOn = mail_kinds?.includes("announcement") ?? true;
  const form = useSubmit(async () => {
    await api.post("/edit_player/{url_id}", { body: { mail_kinds: isOn ? [] : null } });
    await refresh();
  });
  return (
    <>
      <label class="row">
        <input
          type="checkbox"
          name="announcements"
          checked={isOn}
          disabled={form.isSending}
          onChange={form.submit}
        />
        <span class="grow">{en.address.mails}</span>
      </label>
      {email_confirmed === true ? null : <p class="muted">{en.address.mailsLater}</p>}
      <ErrorNote error={form.error} />
    </>
  );
};

export const Address = ({ player }: { player: Player }) => {
  const { email, email_confirmed: isConfirmed, pending_email: pending } = player;
  const [wanted, setWanted] = useState(email ?? "");
  const [password, setPassword] = useState("");
  const isChanged = wanted.trim() !== (email ?? "");
  const needsPassword = isConfirmed === true && isChanged;
  const form = useSubmit(
    async () => {
      const address = wanted.trim() === "" ? null : wanted.trim();
      await edit({ email: address, ...(needsPassword ? { current_password: password } : {}) });
      setPassword("");
      // A confirmed address stays until the new one is confirmed.
      if (needsPassword && address !== null) setWanted(email ?? "");
    },
    { bad_credentials: "current_password", too_many_attempts: "email" },
  );
  const awaited = pending ?? (isConfirmed === true ? null : email);
  return (
    <form class="card stack" onSubmit={form.submit} noValidate>
      <h2>{en.address.title}</h2>
      {isConfirmed === true && email !== null ? <p>{en.address.confirmed(email)}</p> : null}
      {awaited === null ? null : <SendAgain key={awaited} address={awaited} />}
      <FormErrors.Provider value={form.error}>
        <Field
          label={en.address.email}
          name="email"
          value={wanted}
          onChange={setWanted}
          hint={en.address.hint}
          autoComplete="email"
          required={false}
        />
        {needsPassword ? (
          <Field
            label={en.profile.currentPassword}
            name="current_password"
            value={password}
            onChange={setPassword}
            isSecret
            autoComplete="current-password"
          />
        ) : null}
      </FormErrors.Provider>
      <FormError error={form.error} />
      <Button
        text={en.profile.save}
        type="submit"
        disabled={!isChanged || (needsPassword && password === "") || form.isSending}
      />
      <Announcements player={player} />
    </form>
  );
};

/** The forms to join, to log in and to set a password with a code. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { SAMPLE_TOKEN } from "../../../../lib/domain/notifications/pages.ts";
import { APP, paths } from "../../paths.ts";
import { api, GameError, type PublicGame, type PublicWaiver, readPublicGame } from "../../state/api.ts";
import { useDraft } from "../../state/draft.ts";
import { useReading, useSubmit, useValue } from "../../state/resource.ts";
import { hasEnded, join, login, recover, refresh, snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { PicturePicker } from "../../ui/camera/picturePicker.tsx";
import { Crowd } from "../../ui/crowd.tsx";
import { ErrorNote, FormError, Skeleton } from "../../ui/feedback.tsx";
import { bindFields, Field, FormErrors } from "../../ui/field.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { Avatar } from "../../ui/player.tsx";
import "./enter.css";

type Part = typeof import("../waiver/joinWaiver.tsx");

interface FormProps {
  title: string;
  lead: string;
  submitText: string;
  form: ReturnType<typeof useSubmit>;
  others?: readonly { href: string; text: string }[];
  children: ComponentChildren;
}

/** A form before there is a session. */
export const EnterForm = ({ title, lead, submitText, form, others = [], children }: FormProps) => (
  <main class="enter">
    <Crowd />
    <form class="stack" onSubmit={form.submit} noValidate>
      <h1>{title}</h1>
      <p class="muted">{lead}</p>
      <FormErrors.Provider value={form.error}>{children}</FormErrors.Provider>
      <FormError error={form.error} />
      <Button
        text={submitText}
        kind="primary"
        type="submit"
        disabled={form.isSending}
        aria-busy={form.isSending}
      />
      {others.map(({ href, text }) => (
        <ButtonLink key={href} text={text} kind="quiet" href={href} />
      ))}
    </form>
  </main>
);

type Bound = Pick<Parameters<typeof Field>[0], "value" | "onChange">;

export const NewAlias = (bound: Bound) => (
  <Field label={en.join.alias} name="alias" hint={en.join.aliasHint} autoComplete="username" {...bound} />
);

/** @param bound.label and `name` are those of a first password by default */
export const NewPassword = (bound: Bound & { label?: string; name?: string }) => (
  <Field
    label={en.join.password}
    name="password"
    isSecret
    hint={en.join.passwordHint}
    autoComplete="new-password"
    {...bound}
  />
);

/** Returns the introduction of the join form, which depends on whether registration is open. */
const introText = (game: PublicGame | null): string => {
  if (game?.registration === "closed") return en.join.closed;
  return game?.registration === "approval" ? `${en.join.lead} ${en.join.approval}` : en.join.lead;
};

/** The waiver for somebody who joins, with its part of the form. It is read again when it has changed. */
const useWaiver = (isNeeded: boolean) => {
  const [loaded, setLoaded] = useState<{ waiver: PublicWaiver; part: Part } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const load = (): void => {
    setError(null);
    // Imported on demand: most games have no waiver.
    const part = import("../waiver/joinWaiver.tsx").catch(() => {
      throw new GameError("The page cannot be loaded.", { code: "network" });
    });
    Promise.all([api.get("/public", { query: { waiver: "true" } }), part]).then(
      ([{ waiver }, part]) => setLoaded(waiver == null ? null : { waiver, part }),
      (failed: unknown) => setError(failed),
    );
  };
  useEffect(() => {
    if (isNeeded) load();
  }, [isNeeded]);
  return { loaded, error, load };
};

export const Join = () => {
  const { value: game, error: unread, reload } = useReading(readPublicGame);
  const { route, query } = useLocation();
  const { code = "" } = query;
  const draft = useDraft(`join:${code}`, { alias: "", joinCode: code, fullName: "", photos: "" });
  const { alias, joinCode } = draft.value;
  const bind = bindFields(draft.value, (part) => draft.set({ ...draft.value, ...part }));
  const [password, setPassword] = useState("");
  const [picture, setPicture] = useState<string | null>(null);
  const hasWaiver = game?.has_waiver === true;
  const { loaded, error, load } = useWaiver(hasWaiver);
  const [isLater, setLater] = useState(false);
  const [secret, setSecret] = useState({ isAgreed: false, birthDate: "", contact: "" });
  const typed = { fullName: draft.value.fullName, photos: draft.value.photos, ...secret };
  const form = useSubmit(
    async (keyOf) => {
      const signs = loaded !== null && !isLater;
      const signature = signs ? { signature: loaded.part.completeSignature(typed, loaded.waiver) } : {};
      const newcomer = { alias, password, joinCode, ...signature };
      try {
        await join(newcomer, keyOf(newcomer));
      } catch (error) {
        if (error instanceof GameError && error.code === "changed_meanwhile") load();
        throw error;
      }
      draft.clear();
      // Joining succeeds even if the picture is rejected. The profile page can set another one.
      if (picture !== null) {
        await api.post("/set_pfp/{url_id}", { body: { image: picture } }).then(
          () => refresh(),
          () => {},
        );
      }
      route(paths.me, true);
    },
    { alias_taken: "alias" },
  );
  return (
    <EnterForm
      title={en.join.title}
      lead={introText(game)}
      submitText={en.join.submit}
      form={form}
      others={[{ href: paths.login, text: en.join.other }]}
    >
      <Restored draft={draft} />
      <ErrorNote error={unread} onRetry={reload} />
      <NewAlias {...bind("alias")} />
      <NewPassword value={password} onChange={setPassword} />
      <div class="row">
        {picture === null ? null : <Avatar player={{ alias, picture_url: picture }} />}
        <PicturePicker
          text={picture === null ? en.picture.addOptional : en.picture.change}
          onPicture={setPicture}
        />
      </div>
      {game?.needs_join_code === false ? null : (
        <Field
          label={en.join.code}
          {...bind("joinCode")}
          name="join_code"
          hint={game === null ? en.join.codeHintUnknown : en.join.codeHint}
          required={game !== null}
        />
      )}
      {hasWaiver ? <ErrorNote error={error} onRetry={load} /> : null}
      {hasWaiver && loaded === null && error === null ? <Skeleton /> : null}
      {loaded === null ? null : (
        <loaded.part.JoinWaiver
          waiver={loaded.waiver}
          typed={typed}
          set={({ fullName = typed.fullName, photos = typed.photos, ...rest }) => {
            draft.set({ ...draft.value, fullName, photos });
            setSecret((before) => ({ ...before, ...rest }));
          }}
          isLater={isLater}
          setLater={setLater}
        />
      )}
    </EnterForm>
  );
};

export const Login = () => {
  const { route, query } = useLocation();
  const sendsMail = useValue(readPublicGame)?.sends_mail === true;
  const [alias, setAlias] = useState("");
  const [password, setPassword] = useState("");
  const form = useSubmit(
    async () => {
      await login(alias, password);
      route(query.to?.startsWith(APP) ? query.to + location.hash : paths.me, true);
    },
    { bad_credentials: "password", too_many_attempts: "password" },
  );
  return (
    <EnterForm
      title={en.login.title}
      lead={hasEnded.value ? en.login.ended : sendsMail ? en.login.lead : en.login.forgotten}
      submitText={en.login.submit}
      form={form}
      others={[
        ...(sendsMail ? [{ href: paths.forgotten, text: en.login.sendLink }] : []),
        { href: paths.recover, text: en.login.recover },
        { href: paths.join, text: en.login.other },
      ]}
    >
      <Field
        label={sendsMail ? en.login.aliasOrEmail : en.login.alias}
        name="alias"
        value={alias}
        onChange={setAlias}
        autoComplete="username"
      />
      <Field
        label={en.login.password}
        name="password"
        isSecret
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
      />
    </EnterForm>
  );
};

/** Sets a password with an invitation or a recovery code. */
export const Recover = () => {
  const { route, query } = useLocation();
  // The link of a mail has both in its fragment, which is sent to no service.
  const [fragment] = useState(() => new URLSearchParams(location.hash.slice(1)));
  const [alias, setAlias] = useState(fragment.get("alias") ?? query.alias ?? "");
  const [code, setCode] = useState(fragment.get("token") ?? query.code ?? "");
  const [password, setPassword] = useState("");
  const [present] = useState(() => snapshot.peek()?.player.alias);
  const form = useSubmit(
    async () => {
      await recover(alias, code, password);
      route(paths.me, true);
    },
    { bad_credentials: "recovery_code", too_many_attempts: "recovery_code" },
  );
  if (fragment.get("token") === SAMPLE_TOKEN)
    return (
      <main class="page">
        <div class="stack card">
          <h1>{en.recover.sampleTitle}</h1>
          <p class="muted">{en.recover.sample}</p>
        </div>
      </main>
    );
  return (
    <EnterForm
      title={en.recover.title}
      lead={fragment.has("token") ? en.recover.leadOfLink : en.recover.lead}
      submitText={en.recover.submit}
      form={form}
      others={[{ href: paths.login, text: en.join.other }]}
    >
      {present === undefined || present === alias ? null : <p class="note">{en.recover.present(present)}</p>}
      <Field label={en.login.alias} name="alias" value={alias} onChange={setAlias} autoComplete="username" />
      <Field
        label={en.recover.code}
        name="recovery_code"
        value={code}
        onChange={setCode}
        hint={en.recover.codeHint}
      />
      <NewPassword
        label={en.profile.newPassword}
        name="new_password"
        value={password}
        onChange={setPassword}
      />
    </EnterForm>
  );
};

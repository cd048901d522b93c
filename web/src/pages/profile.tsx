/** The player's profile: picture, names, password and sessions. */
import { Camera } from "lucide";
import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, fieldError, hasFieldErrors, type Player } from "../api.ts";
import { en } from "../en.ts";
import { squarePicture } from "../picture.ts";
import { useSubmit } from "../resource.ts";
import { logout, refresh, snapshot } from "../session.ts";
import { ErrorNote, Skeleton } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Avatar } from "../ui/player.tsx";

const Picture = ({ player }: { player: Player }) => {
  const input = useRef<HTMLInputElement>(null);
  const form = useSubmit(async () => {
    const file = input.current?.files?.[0];
    if (file === undefined) return;
    await api.post("/set_pfp/{url_id}", { body: { image: await squarePicture(file) } });
    await refresh();
  });
  return (
    <section class="card stack">
      <div class="row" data-wraps>
        <Avatar player={player} size={72} />
        <label class="button" aria-busy={form.isSending}>
          <Icon of={Camera} size={20} />
          {player.has_pfp ? en.profile.changePicture : en.profile.addPicture}
          <input ref={input} class="visually-hidden" type="file" accept="image/*" onChange={form.submit} />
        </label>
      </div>
      {form.error === null ? null : <ErrorNote error={form.error} />}
    </section>
  );
};

const nameOf = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** What of a form differs from the player, as a request has it. */
const changesOf = (player: Player, form: { alias: string; first_name: string; last_name: string }) => {
  const [alias, first_name, last_name] = [form.alias.trim(), nameOf(form.first_name), nameOf(form.last_name)];
  return {
    ...(alias === player.alias ? {} : { alias }),
    ...(first_name === player.first_name ? {} : { first_name }),
    ...(last_name === player.last_name ? {} : { last_name }),
  };
};

const Names = ({ player }: { player: Player }) => {
  const [alias, setAlias] = useState(player.alias);
  const [first_name, setFirstName] = useState(player.first_name ?? "");
  const [last_name, setLastName] = useState(player.last_name ?? "");
  const [isSaved, setSaved] = useState(false);
  const changes = changesOf(player, { alias, first_name, last_name });
  const form = useSubmit(async () => {
    await api.post("/edit_player/{url_id}", { body: changes });
    await refresh();
    setSaved(true);
  });
  return (
    <form class="card stack" onSubmit={form.submit} noValidate>
      <h2>{en.profile.names}</h2>
      <Field
        label={en.join.alias}
        name="alias"
        value={alias}
        onChange={setAlias}
        hint={en.profile.aliasHint}
        error={fieldError(form.error, "alias")}
      />
      <Field
        label={en.profile.firstName}
        name="first_name"
        value={first_name}
        onChange={setFirstName}
        hint={en.profile.namesHint}
        error={fieldError(form.error, "first_name")}
        autoComplete="given-name"
        required={false}
      />
      <Field
        label={en.profile.lastName}
        name="last_name"
        value={last_name}
        onChange={setLastName}
        error={fieldError(form.error, "last_name")}
        autoComplete="family-name"
        required={false}
      />
      {form.error === null || hasFieldErrors(form.error) ? null : <ErrorNote error={form.error} />}
      <button type="submit" class="button" disabled={Object.keys(changes).length === 0 || form.isSending}>
        {isSaved && Object.keys(changes).length === 0 ? en.profile.saved : en.profile.save}
      </button>
    </form>
  );
};

const Password = ({ player }: { player: Player }) => {
  const { route } = useLocation();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const form = useSubmit(async () => {
    const { alias } = player;
    const body = { alias, current_password: current, new_password: next };
    await api.post("/change_password", { body });
    // The service has ended every session of the player.
    await logout().catch(() => {});
    route("/app/login", true);
  });
  return (
    <form class="card stack" onSubmit={form.submit} noValidate>
      <h2>{en.profile.password}</h2>
      {/* Password managers need to know whose password it is. */}
      <input type="hidden" name="username" autocomplete="username" value={player.alias} />
      <Field
        label={en.profile.currentPassword}
        name="current_password"
        value={current}
        onChange={setCurrent}
        error={fieldError(form.error, "current_password")}
        isSecret
        autoComplete="current-password"
      />
      <Field
        label={en.profile.newPassword}
        name="new_password"
        value={next}
        onChange={setNext}
        hint={en.profile.passwordHint}
        error={fieldError(form.error, "new_password")}
        isSecret
        autoComplete="new-password"
      />
      {form.error === null || hasFieldErrors(form.error) ? null : <ErrorNote error={form.error} />}
      <button type="submit" class="button" disabled={current === "" || next === "" || form.isSending}>
        {en.profile.changePassword}
      </button>
    </form>
  );
};

export const Profile = () => {
  const { route } = useLocation();
  const player = snapshot.value?.player;
  const leave = async (everywhere: boolean): Promise<void> => {
    await logout(everywhere);
    route("/");
  };
  if (player === undefined) return <Skeleton />;
  return (
    <main class="page stack">
      <h1>{en.profile.title}</h1>
      <Picture player={player} />
      <Names key={player.alias} player={player} />
      <Password player={player} />
      <section class="stack">
        <button type="button" class="button" onClick={() => void leave(false)}>
          {en.profile.logout}
        </button>
        <button type="button" class="button" data-kind="quiet" onClick={() => void leave(true)}>
          {en.profile.logoutAll}
        </button>
      </section>
    </main>
  );
};

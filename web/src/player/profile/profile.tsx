/** The player's profile: picture, names, notifications, password, sessions and deletion of the account. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../paths.ts";
import { api, type Player } from "../../state/api.ts";
import { pushState, turnPushOff, turnPushOffEverywhere } from "../../state/device.ts";
import { openEdit } from "../../state/draft.ts";
import { useSubmit } from "../../state/resource.ts";
import { logout, refresh, snapshot } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button } from "../../ui/button.tsx";
import { PicturePicker, usePicture } from "../../ui/camera/picturePicker.tsx";
import { ErrorNote, FormError, OfflineNote, Skeleton } from "../../ui/feedback.tsx";
import { bindFields, Field, FormErrors } from "../../ui/field.tsx";
import { InstallOffer, PushOffer } from "../../ui/layout/offers.tsx";
import { Restored } from "../../ui/layout/restored.tsx";
import { Avatar } from "../../ui/player.tsx";
import { Badges } from "../../ui/prizes.tsx";
import { Address } from "./address.tsx";
import { Leave } from "./leave.tsx";

const Picture = ({ player }: { player: Player }) => {
  const { isSending, error, put } = usePicture(async (image) => {
    await api.post("/set_pfp/{url_id}", { body: { image } });
    await refresh();
  });
  return (
    <section class="card stack">
      <div class="row">
        <Avatar player={player} size={72} />
        <PicturePicker
          text={player.has_pfp ? en.picture.change : en.picture.add}
          isBusy={isSending}
          onPicture={put}
        />
      </div>
      <ErrorNote error={error} />
    </section>
  );
};

/** What the player has got by codes and missions; nothing before the first. */
const Prizes = ({ player: { points, badges } }: { player: Player }) =>
  points > 0 || badges?.length > 0 ? (
    <section class="card stack">
      <h2>{en.prizes.title}</h2>
      {points > 0 ? <p>{en.prizes.count(points)}</p> : null}
      {badges.length > 0 ? <Badges badges={badges} /> : null}
    </section>
  ) : null;

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** Returns the fields that differ from the player, as the body of `/edit_player`. */
const changesOf = (player: Player, form: { alias: string; first_name: string; last_name: string }) => {
  const [alias, first_name, last_name] = [form.alias.trim(), orNull(form.first_name), orNull(form.last_name)];
  return {
    ...(alias === player.alias ? {} : { alias }),
    ...(first_name === player.first_name ? {} : { first_name }),
    ...(last_name === player.last_name ? {} : { last_name }),
  };
};

const Names = ({ player }: { player: Player }) => {
  const { alias: present, first_name: first, last_name: last } = player;
  // A game master may change them while the page is open: then only what was typed differs.
  const { draft, shown, set } = useMemo(
    () => openEdit("names", { alias: present, first_name: first ?? "", last_name: last ?? "" }),
    [present, first, last],
  );
  const bind = bindFields(shown(), set);
  const [isSaved, setSaved] = useState(false);
  const changes = changesOf(player, shown());
  const form = useSubmit(
    async () => {
      await api.post("/edit_player/{url_id}", { body: changes });
      draft.clear(draft.signal.peek());
      await refresh();
      setSaved(true);
    },
    { alias_taken: "alias", too_many_attempts: "alias" },
  );
  return (
    <form class="card stack" onSubmit={form.submit} noValidate>
      <h2>{en.profile.names}</h2>
      <FormErrors.Provider value={form.error}>
        <Restored draft={{ isRestored: draft.isRestored.value, clear: () => draft.clear() }} />
        <Field label={en.join.alias} hint={en.profile.aliasHint} {...bind("alias")} />
        <Field
          label={en.profile.firstName}
          {...bind("first_name")}
          hint={en.profile.namesHint}
          autoComplete="given-name"
          required={false}
        />
        <Field
          label={en.profile.lastName}
          {...bind("last_name")}
          autoComplete="family-name"
          required={false}
        />
      </FormErrors.Provider>
      <FormError error={form.error} />
      <Button
        text={isSaved && Object.keys(changes).length === 0 ? en.profile.saved : en.profile.save}
        type="submit"
        disabled={Object.keys(changes).length === 0 || form.isSending}
      />
    </form>
  );
};

const Password = ({ player }: { player: Player }) => {
  const { route } = useLocation();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const form = useSubmit(
    async () => {
      const { alias } = player;
      const body = { alias, current_password: current, new_password: next };
      await api.post("/change_password", { body });
      // The service has ended all of the player's sessions.
      await logout().catch(() => {});
      route(paths.login, true);
    },
    { bad_credentials: "current_password", too_many_attempts: "current_password" },
  );
  return (
    <form class="card stack" onSubmit={form.submit} noValidate>
      <h2>{en.profile.password}</h2>
      <FormErrors.Provider value={form.error}>
        {/* Tells password managers which account the password belongs to. */}
        <input type="hidden" name="username" autocomplete="username" value={player.alias} />
        <Field
          label={en.profile.currentPassword}
          name="current_password"
          value={current}
          onChange={setCurrent}
          isSecret
          autoComplete="current-password"
        />
        <Field
          label={en.profile.newPassword}
          name="new_password"
          value={next}
          onChange={setNext}
          hint={en.profile.passwordHint}
          isSecret
          autoComplete="new-password"
        />
      </FormErrors.Provider>
      <FormError error={form.error} />
      <Button
        text={en.profile.changePassword}
        type="submit"
        disabled={current === "" || next === "" || form.isSending}
      />
    </form>
  );
};

/** Notification settings: this device, all devices, and which kinds of events. */
const Notifications = ({ player }: { player: Player }) => {
  const { push_kinds } = player;
  const all = Object.keys(en.push.kinds) as Player["push_kinds"];
  const off = useSubmit(turnPushOff);
  const everywhere = useSubmit(turnPushOffEverywhere);
  const [changed, setChanged] = useState<Player["push_kinds"][number] | null>(null);
  const kinds = useSubmit(async () => {
    if (changed === null) return;
    const isOn = push_kinds.includes(changed);
    const selected = isOn ? push_kinds.filter((kind) => kind !== changed) : [...push_kinds, changed];
    const isAll = selected.length === all.length;
    await api.post("/edit_player/{url_id}", { body: { push_kinds: isAll ? null : selected } });
    await refresh();
  });
  // A checkbox is saved as soon as it is toggled.
  useEffect(() => {
    if (changed !== null) void kinds.submit().then(() => setChanged(null));
  }, [changed]);
  const error = off.error ?? everywhere.error ?? kinds.error;
  return (
    <section class="card stack">
      <h2>{en.push.section}</h2>
      <PushOffer />
      {pushState.value === "on" ? (
        <>
          <p>{en.push.isOn}</p>
          <Button text={en.push.turnOff} disabled={off.isSending} onClick={off.submit} />
        </>
      ) : null}
      <fieldset class="kinds">
        <legend class="label">{en.push.which}</legend>
        {all.map((kind) => (
          <label key={kind} class="row">
            <input
              type="checkbox"
              checked={push_kinds.includes(kind) !== (changed === kind)}
              disabled={changed !== null}
              onChange={() => setChanged(kind)}
            />
            <span class="grow">{en.push.kinds[kind]}</span>
          </label>
        ))}
      </fieldset>
      <ErrorNote error={error} />
      <Button
        text={en.push.turnOffEverywhere}
        kind="quiet"
        disabled={everywhere.isSending}
        onClick={everywhere.submit}
      />
      <InstallOffer />
    </section>
  );
};

interface ChoiceProps {
  title: string;
  text: string;
  name: "wants_original" | "named_in_past";
  player: Player;
}

/** A checkbox that is saved as soon as it is toggled. */
const Choice = ({ title, text, name, player }: ChoiceProps) => {
  const isOn = player[name] ?? false;
  const form = useSubmit(async () => {
    await api.post("/edit_player/{url_id}", {
      body: name === "wants_original" ? { wants_original: !isOn } : { named_in_past: !isOn },
    });
    await refresh();
  });
  return (
    <section class="card stack">
      <h2>{title}</h2>
      <label class="row">
        <input type="checkbox" name={name} checked={isOn} disabled={form.isSending} onChange={form.submit} />
        <span class="grow">{text}</span>
      </label>
      <ErrorNote error={form.error} />
    </section>
  );
};

export const Profile = () => {
  const current = snapshot.value;
  if (current === null) return <Skeleton />;
  const { player, game } = current;
  return (
    <main class="page stack">
      <h1>{en.profile.title}</h1>
      <OfflineNote />
      <Picture player={player} />
      <Prizes player={player} />
      <Names player={player} />
      {game.sends_mail ? <Address key={player.email} player={player} /> : null}
      <Notifications player={player} />
      {game.phase === "registration" || player.state === "human" ? (
        <Choice
          title={en.profile.original}
          text={en.profile.wantsOriginal}
          name="wants_original"
          player={player}
        />
      ) : null}
      <Choice title={en.profile.past} text={en.profile.namedInPast} name="named_in_past" player={player} />
      <Password player={player} />
      <Leave player={player} />
    </main>
  );
};

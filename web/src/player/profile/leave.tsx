/** Logging out, which says first what has not been sent, and deleting the account. */
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../paths.ts";
import type { Player } from "../../state/api.ts";
import { hasDrafts } from "../../state/draft.ts";
import { useSubmit } from "../../state/resource.ts";
import { deleteAccount, logout, queue } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/feedback.tsx";
import { Field } from "../../ui/field.tsx";

const queuedCount = (): number => queue.value.filter(({ refusal }) => refusal === null).length;

/** What a logout leaves unsent, as sentences. */
const unsent = (): string[] => {
  const queued = queuedCount();
  return [
    ...(queued === 0 ? [] : [en.profile.leave.queued(queued)]),
    ...(hasDrafts() ? [en.profile.leave.drafts] : []),
  ];
};

const LogOut = ({ everywhere }: { everywhere: boolean }) => {
  const { route } = useLocation();
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const stay = (): void => setWarnings([]);
  const form = useSubmit(async () => {
    await logout(everywhere);
    route(paths.landing);
  });
  const leave = (): void => {
    const found = unsent();
    if (found.length === 0) void form.submit();
    else setWarnings(found);
  };
  const text = everywhere ? en.profile.logoutAll : en.profile.logout;
  return (
    <>
      <ErrorNote error={form.error} />
      <Button text={text} kind={everywhere ? "quiet" : undefined} onClick={leave} />
      <Dialog isOpen={warnings.length > 0} title={en.profile.leave.title} onClose={stay}>
        <div class="stack">
          {warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
          <ErrorNote error={form.error} />
          <Button text={en.profile.leave.stay} kind="primary" onClick={stay} />
          <Button text={text} kind="quiet" disabled={form.isSending} onClick={form.submit} />
        </div>
      </Dialog>
    </>
  );
};

const Delete = ({ player: { alias } }: { player: Player }) => {
  const { route } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const close = (): void => setOpen(false);
  const queued = queuedCount();
  const form = useSubmit(async () => {
    await deleteAccount();
    route(paths.landing, true);
  });
  return (
    <>
      <Button text={en.profile.delete} kind="quiet" onClick={() => setOpen(true)} />
      <Dialog isOpen={isOpen} title={en.profile.deleteTitle} onClose={close}>
        <form class="stack" onSubmit={form.submit}>
          <p>{en.profile.deleteText}</p>
          {queued === 0 ? null : <p>{en.profile.leave.lost(queued)}</p>}
          <Field label={en.profile.deleteConfirm(alias)} name="confirm" value={typed} onChange={setTyped} />
          <ErrorNote error={form.error} />
          <Button
            text={en.profile.delete}
            kind="danger"
            type="submit"
            disabled={typed.trim() !== alias || form.isSending}
          />
          <Button text={en.me.cancel} kind="quiet" onClick={close} />
        </form>
      </Dialog>
    </>
  );
};

export const Leave = ({ player }: { player: Player }) => (
  <section class="stack">
    <LogOut everywhere={false} />
    <LogOut everywhere />
    <Delete player={player} />
  </section>
);

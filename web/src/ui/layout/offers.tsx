/** Offers to turn on notifications and to install the app, after the player's first success. */
import { BellRing, Smartphone } from "lucide";
import { useEffect } from "preact/hooks";
import {
  declineOffers,
  forgetPush,
  install,
  isInstalled,
  isIos,
  mayOffer,
  pushState,
  readPushState,
  turnPushOn,
} from "../../state/device.ts";
import { useSubmit } from "../../state/resource.ts";
import { readNow } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";
import { ErrorNote } from "../feedback.tsx";

/** A button that turns notifications on, or an explanation of why this device cannot have them. */
export const PushOffer = () => {
  const form = useSubmit(() => turnPushOn(readNow() ?? Date.now()));
  useEffect(() => void readPushState(), []);
  const state = pushState.value;
  if (state === "install first")
    return (
      <>
        <p>{en.push.ios}</p>
        <ol class="steps">
          {en.push.iosSteps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </>
    );
  if (state === "denied" || (state === "lost" && Notification.permission === "denied"))
    return <p>{en.push.denied}</p>;
  if (state === "unsupported") return <p>{en.push.unsupported}</p>;
  if (state !== "off" && state !== "lost") return null;
  return (
    <>
      <Button
        text={en.push.turnOn}
        icon={BellRing}
        kind="primary"
        disabled={form.isSending}
        onClick={form.submit}
      />
      <ErrorNote error={form.error} />
    </>
  );
};

export const InstallOffer = () => {
  const show = install.value;
  return show === null ? null : (
    <Button text={en.push.install} icon={Smartphone} onClick={() => void show()} />
  );
};

/** Tells that the browser no longer permits the notifications that were turned on here, until the player has seen it. */
const Lost = () => (
  <section class="card stack" role="status">
    <h2>{en.push.lostTitle}</h2>
    <p class="muted">{en.push.lost}</p>
    <PushOffer />
    <Button text={en.push.leaveOff} kind="quiet" onClick={() => void forgetPush()} />
  </section>
);

/** Both offers, until the player declines. The profile page always has them. */
export const Offers = () => {
  useEffect(() => void readPushState(), []);
  if (pushState.value === "lost") return <Lost />;
  const canSubscribe = pushState.value === "off" || (isIos && !isInstalled);
  if (!mayOffer.value || (!canSubscribe && install.value === null)) return null;
  return (
    <section class="card stack" aria-label={en.push.title}>
      <h2>{en.push.title}</h2>
      <p class="muted">{en.push.why}</p>
      {canSubscribe ? <PushOffer /> : null}
      <InstallOffer />
      <Button text={en.push.notNow} kind="quiet" onClick={declineOffers} />
    </section>
  );
};

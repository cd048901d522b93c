/** Buttons, and links that look like them. */
import type { IconNode } from "lucide";
import type { ButtonHTMLAttributes } from "preact";
import { Icon } from "./icon.tsx";

interface LookProps {
  text: string;
  icon?: IconNode | undefined;
  /** Shows the icon alone; the text is its accessible name. */
  isIcon?: boolean | undefined;
  kind?: "primary" | "quiet" | "danger" | "small" | "text" | undefined;
}

const look = <T extends LookProps>({ text, icon, isIcon, kind, ...others }: T) => ({
  class: "button",
  "data-kind": kind,
  "aria-label": isIcon ? text : undefined,
  children: [icon && <Icon key="icon" of={icon} size={20} />, isIcon ? null : text],
  ...others,
});

export const Button = (props: LookProps & ButtonHTMLAttributes<HTMLButtonElement>) => (
  <button type="button" {...look(props)} />
);

export const ButtonLink = (props: LookProps & { href: string }) => <a {...look(props)} />;

/** Buttons, and links that look like them. */
import type { IconNode } from "lucide";
import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "preact";
import { Icon } from "./icon.tsx";

interface LookProps {
  text: string;
  icon?: IconNode | undefined;
  /** Shows the icon alone; the text is its accessible name. */
  isIcon?: boolean | undefined;
  kind?: "primary" | "quiet" | "danger" | "small" | "text" | undefined;
}

const look = ({ text, icon, isIcon = false, kind }: LookProps) => ({
  class: "button",
  "data-kind": kind,
  "aria-label": isIcon ? text : undefined,
  children: (
    <>
      {icon === undefined ? null : <Icon of={icon} size={20} />}
      {isIcon ? null : text}
    </>
  ),
});

export const Button = ({
  text,
  icon,
  isIcon,
  kind,
  ...others
}: LookProps & ButtonHTMLAttributes<HTMLButtonElement>) => (
  <button type="button" {...look({ text, icon, isIcon, kind })} {...others} />
);

export const ButtonLink = ({
  text,
  icon,
  isIcon,
  kind,
  ...others
}: LookProps & AnchorHTMLAttributes<HTMLAnchorElement>) => (
  <a {...look({ text, icon, isIcon, kind })} {...others} />
);

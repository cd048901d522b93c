/** The pages that game masters seldom open: a script of their own, which is loaded with the first of them. */
export { Game } from "./game/game/game.tsx";
export { Webhooks } from "./game/webhooks/webhooks.tsx";
export { Import } from "./people/import/import.tsx";
export { Invitations } from "./people/invitations/invitations.tsx";
export { ReadinessPage } from "./people/readiness/readiness.tsx";
export { MailPage } from "./tools/mail/mail.tsx";
export { OutboxPage } from "./tools/mail/outbox.tsx";
export { Print } from "./tools/print/print.tsx";
export { Sql } from "./tools/sql/sql.tsx";

/** The contract's statuses, written down independently of the service. */

/** The contract's codes (section 1, "Errors") but for those that a fault of the service has: the list is closed. */
export const STATUS_OF = {
  invalid_request: 400,
  not_administrator: 401,
  bad_credentials: 401,
  token_rejected: 403,
  player_not_found: 404,
  not_found: 404,
  unknown_tag_code: 404,
  no_picture: 404,
  wrong_state: 409,
  already_tagged: 409,
  alias_taken: 409,
  last_administrator: 409,
  no_checkpoint: 409,
  checkpoint_changed: 409,
  closed: 409,
  paused: 409,
  not_running: 409,
  too_early: 409,
  busy: 409,
  in_progress: 409,
  too_large: 413,
  unsupported_media_type: 415,
  key_reused: 422,
  too_many_attempts: 429,
} as const;

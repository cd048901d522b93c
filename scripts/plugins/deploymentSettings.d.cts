/** The settings that only a deployment has. */
export interface DeploymentSettings {
  /** What a proxy before the service sends with each request; empty without a proxy. */
  proxySecret: string;
  /** The address for alarms and the budget; empty for none. */
  alarmEmail: string;
  /** The monthly budget in US dollars; empty for none. */
  budgetUsd: string;
  /** The additional host name and its certificate; both empty for none. */
  domain: string;
  certificateArn: string;
  /** The mail server and the sender; both empty without mail. The server is not in the template. */
  mailUrl: string;
  mailFrom: string;
  /** The most messages in a minute; empty for the default. */
  mailPerMinute: string;
  /** The address of the pages; empty for the stage's own. */
  publicUrl: string;
  /** The rate limit of the gateway per second, and its burst. */
  requestsPerSecond: number;
  requestsBurst: number;
}

/** Reads the settings of a deployment, with a problem for each invalid one. */
export declare const readDeploymentSettings: (
  environment: NodeJS.ProcessEnv,
  region: string,
  options?: { isLocal?: boolean },
) => { settings: DeploymentSettings; faults: string[] };

/** Returns how many batches of the queue are processed concurrently in an account with this limit. */
export declare const deliverConcurrencyOf: (limit: number | "") => number;

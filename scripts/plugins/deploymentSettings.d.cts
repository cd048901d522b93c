/** The settings that only a deployment has. */
export interface DeploymentSettings {
  /** Who is written to about alarms and the budget; empty for nobody. */
  alarmEmail: string;
  /** The sum of a month in US dollars above which an e-mail is sent; empty for none. */
  budgetUsd: string;
  /** The host name beside API Gateway's own, and its certificate; both empty without one. */
  domain: string;
  certificateArn: string;
  /** What the gateway lets through in a second, and at once. */
  requestsPerSecond: number;
  requestsBurst: number;
}

/** Reads the settings of a deployment, with a fault for each one that is wrong. */
export declare const readDeploymentSettings: (
  environment: NodeJS.ProcessEnv,
  region: string,
) => { settings: DeploymentSettings; faults: string[] };

/** How many batches of the queue may be worked on at once in an account of this limit. */
export declare const deliverConcurrencyOf: (limit: number | "") => number;

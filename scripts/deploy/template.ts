/** The parts of a CloudFormation template that commands read. */
import * as z from "zod/mini";

const Resource = z.looseObject({
  Type: z.string(),
  Properties: z.optional(z.looseObject({})),
  DependsOn: z.optional(z.union([z.string(), z.array(z.string())])),
  Condition: z.optional(z.string()),
});

export const Template = z.looseObject({
  Resources: z.record(z.string(), Resource),
  Parameters: z.optional(z.record(z.string(), z.looseObject({ Default: z.optional(z.unknown()) }))),
  Conditions: z.optional(z.record(z.string(), z.unknown())),
  Outputs: z.optional(
    z.record(z.string(), z.looseObject({ Value: z.unknown(), Condition: z.optional(z.string()) })),
  ),
});
export type Template = z.infer<typeof Template>;
export type Resource = z.infer<typeof Resource>;

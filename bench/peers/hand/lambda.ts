/** Requests by hand as Lambda handlers, without any framework. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Answer, Asked } from "./requests.ts";

/** What AWS hands a function for a request, and what it wants back. */
export type Handler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** The body; nothing for one that is no JSON, which no request takes. */
const jsonOf = ({ body = "{}", isBase64Encoded }: APIGatewayProxyEventV2): unknown => {
  try {
    return JSON.parse(isBase64Encoded ? Buffer.from(body, "base64").toString() : body);
  } catch {
    return undefined;
  }
};

export const byHand =
  (work: (asked: Asked) => Promise<Answer>): Handler =>
  async (event, context) => {
    const { status, headers, body } = await work({
      authorization: event.headers.authorization,
      urlId: event.pathParameters?.url_id ?? "",
      requestId: context.awsRequestId,
      body: jsonOf(event),
    });
    return { statusCode: status, headers, body };
  };

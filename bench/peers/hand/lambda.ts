/** Adapts the requests of the peer `floor` to Lambda, without a framework. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Request, Response } from "./requests.ts";

/** Returns the parsed body; undefined if it is not JSON. */
const jsonOf = ({ body = "{}", isBase64Encoded }: APIGatewayProxyEventV2): unknown => {
  try {
    return JSON.parse(isBase64Encoded ? Buffer.from(body, "base64").toString() : body);
  } catch {
    return undefined;
  }
};

export const lambdaHandler =
  (respond: (request: Request) => Promise<Response>) =>
  async (event: APIGatewayProxyEventV2, context: Context): Promise<APIGatewayProxyStructuredResultV2> => {
    const { status, headers, body } = await respond({
      authorization: event.headers.authorization,
      urlId: event.pathParameters?.url_id ?? "",
      requestId: context.awsRequestId,
      body: jsonOf(event),
    });
    return { statusCode: status, headers, body };
  };

// Shows /openapi.json. Scripts and styles come from this server; the validator of Swagger UI, which would not, is off.
"use strict";

SwaggerUIBundle({
  dom_id: "#docs",
  url: "/openapi.json",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: "list",
  validatorUrl: null,
});

// Shows /openapi.json with Swagger UI. Its validator is off, because it would send the document to another server.
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

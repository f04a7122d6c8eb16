// Makes calls with the types that openapi-typescript generates: calls.js ADDRESS, with the key in PORTSIDE_KEY.
import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

// The compiler knows the types of browsers, not those of Node.js.
declare const process: { argv: string[]; env: Record<string, string> };

function check(isRight: boolean, got: unknown): asserts isRight {
    if (!isRight) throw new Error(JSON.stringify(got));
}

const client = createClient<paths>({ baseUrl: process.argv[2], headers: { 'X-API-Key': process.env.PORTSIDE_KEY } });

const created = await client.POST('/v1/users', {
    body: { email: 'typescript@example.com', name: 'TypeScript', role: 'viewer', sendActivationEmail: false },
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
});
check(created.response.status === 201 && created.data?.data.role === 'viewer', created);

const listed = await client.GET('/v1/users', { params: { query: { limit: 100 } } });
check(listed.data !== undefined, listed.error);
check(listed.data.data.some((user) => user.email === 'typescript@example.com'), listed.data);

const refused = await client.GET('/v1/users/{userId}', { params: { path: { userId: crypto.randomUUID() } } });
check(refused.error?.code === 'NOT_FOUND', refused);

console.log('typescript:', listed.data.pagination.total, 'users');

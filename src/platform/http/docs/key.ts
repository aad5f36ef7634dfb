/** How a program calls, and a field for a key that the forms of the page then call with. */
export const keyPart = (server: string): string => `<section class="key" aria-labelledby="key-head">
<h2 id="key-head">API keys</h2>
<p>Programs act on your behalf with an API key. Create one on <a href="/user">your profile</a>; it is shown only once. The
<code>read</code> scope allows GET requests, <code>write</code> allows changes, and neither exceeds your own permissions.
Requests with a key need no cookie and no <code>X-XSRF-TOKEN</code>; calls that require a session say so below.</p>
<pre>curl -H "Authorization: Bearer tbx_…" ${server}/api/v1/auth/session</pre>
<label>Try the calls below with a key instead of your session
<input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="tbx_…"></label>
</section>`

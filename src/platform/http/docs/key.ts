/** How a program calls, and a field for a key that the forms of the page then call with. */
export const keyPart = (server: string): string => `<section class="key" aria-labelledby="key-head">
<h2 id="key-head">API keys</h2>
<p>A program calls in your name with a key. Make one on <a href="/user">your profile</a>; it is shown once. The scope
<code>read</code> lets it GET, <code>write</code> lets it change, and neither lets it do more than you may. A call with a
key needs no cookie and no <code>X-XSRF-TOKEN</code>; what needs a session says so below.</p>
<pre>curl -H "Authorization: Bearer tbx_…" ${server}/api/v1/auth/session</pre>
<label>Try the calls below with a key instead of your session
<input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="tbx_…"></label>
</section>`

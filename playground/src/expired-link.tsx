import { useSignal } from "@preact/signals";
import { type ServerAccess, tokenIn } from "./server-access.js";

/**
 * Shown after the server has rejected the page's token, or a page without one. A new link reconnects the page without a reload, so unsaved
 * text is kept.
 */
export function ExpiredLink({ server }: { server: ServerAccess }) {
	const pasted = useSignal("");
	const trouble = useSignal("");
	const connect = async () => {
		const token = tokenIn(pasted.value);
		if (token === undefined) trouble.value = "This is not a Segue link. Segue links end with #token=…";
		else if (await server.isRefused(token)) trouble.value = "The server does not accept this link either.";
		else server.useToken(token);
	};
	return (
		<section class="refused" role="alert">
			{server.token.value === "" ? (
				<>
					<h2>This address needs a token</h2>
					<p>Open the link that Segue printed in its terminal, or paste it here.</p>
				</>
			) : (
				<>
					<h2>This link has expired</h2>
					<p>
						Segue was restarted and printed a new link in its terminal. Open that link, or paste it here. Your unsaved
						text is kept.
					</p>
				</>
			)}
			<form
				onSubmit={(event) => {
					event.preventDefault();
					void connect();
				}}
			>
				<input
					aria-label="New link"
					placeholder="http://127.0.0.1:4747/#token=…"
					autocomplete="off"
					spellcheck={false}
					value={pasted.value}
					onInput={({ currentTarget }) => (pasted.value = currentTarget.value)}
				/>
				<button type="submit" class="primary">
					Connect
				</button>
			</form>
			{trouble.value !== "" && <p class="trouble">{trouble.value}</p>}
		</section>
	);
}

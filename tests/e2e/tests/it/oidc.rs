//! Signing in through an identity provider, over real processes: a browser (our client), the console, and a provider of ours that signs
//! tokens by RSA and by an elliptic curve and can be told to lie in every way.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD as BASE64};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::client::{Answer, Client};
use crate::lab::{Lab, small_world};
use crate::writing::Served;

const CLIENT: &str = "newslode-console";
const SECRET: &str = "s3cret+with/odd=letters";

/// A key that signs tokens.
enum Key {
    Rsa(Box<RsaKeyPair>),
    Curve(Box<EcdsaKeyPair>),
}

impl Key {
    fn curve() -> Key {
        let made =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &SystemRandom::new());
        Key::Curve(Box::new(pair.unwrap()))
    }

    /// ring makes no keys of this kind.
    fn rsa() -> Key {
        let arguments =
            ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-outform", "DER"];
        let made = Command::new("openssl").args(arguments).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Key::Rsa(Box::new(RsaKeyPair::from_der(&made.stdout).unwrap()))
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Key::Rsa(_) => "RS256",
            Key::Curve(_) => "ES256",
        }
    }

    fn public(&self, id: &str) -> Value {
        match self {
            Key::Rsa(pair) => {
                let parts = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                let (n, e) = (BASE64.encode(parts.n), BASE64.encode(parts.e));
                json!({ "kty": "RSA", "kid": id, "use": "sig", "alg": "RS256", "n": n, "e": e })
            }
            Key::Curve(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (BASE64.encode(&point[1..33]), BASE64.encode(&point[33..]));
                json!({ "kty": "EC", "kid": id, "use": "sig", "alg": "ES256", "crv": "P-256", "x": x, "y": y })
            }
        }
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()));
        let random = SystemRandom::new();
        let signature = match self {
            Key::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message.as_bytes(), &mut signature).unwrap();
                signature
            }
            Key::Curve(pair) => pair.sign(&random, message.as_bytes()).unwrap().as_ref().to_vec(),
        };
        format!("{message}.{}", BASE64.encode(signature))
    }
}

/// The answers that a test sets for the provider.
struct Told {
    key: Key,
    key_id: String,
    /// The keys that it publishes; of an unusual kind first, which must not matter.
    published: Vec<Value>,
    /// Claims that replace the right ones; null takes one away.
    claims: Value,
    /// A header that replaces the right one.
    header: Option<Value>,
    is_down: bool,
    /// How often its keys were asked for.
    looks: usize,
    codes: HashMap<String, (String, String)>,
}

struct Shared {
    issuer: String,
    told: Mutex<Told>,
}

/// The provider.
struct Provider {
    shared: Arc<Shared>,
    _serving: JoinSet<()>,
}

impl Provider {
    async fn start() -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}/realms/news", listener.local_addr().unwrap());
        let told = Told {
            key: Key::rsa(),
            key_id: "first".into(),
            published: Vec::new(),
            claims: json!({}),
            header: None,
            is_down: false,
            looks: 0,
            codes: HashMap::new(),
        };
        let shared = Arc::new(Shared { issuer, told: Mutex::new(told) });
        let provider = Provider { shared: shared.clone(), _serving: JoinSet::new() };
        provider.publish();
        let router = Router::new()
            .route("/realms/news/.well-known/openid-configuration", get(discovery))
            .route("/realms/news/keys", get(keys))
            .route("/realms/news/token", post(token))
            .with_state(shared);
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Provider { _serving: serving, ..provider }
    }

    fn told<T>(&self, tell: impl FnOnce(&mut Told) -> T) -> T {
        tell(&mut self.shared.told.lock().unwrap())
    }

    fn publish(&self) {
        self.told(|told| {
            let odd = json!({ "kty": "lattice", "kid": "odd", "alg": "ML-DSA-44" });
            told.published = vec![odd, told.key.public(&told.key_id)];
        });
    }

    /// Takes a new key.
    fn rotate(&self, key: Key, id: &str) {
        self.told(|told| (told.key, told.key_id) = (key, id.to_owned()));
        self.publish();
    }

    /// A person signs in at the provider's page: it keeps what the console asked for, and makes a code.
    fn authorize(&self, location: &str) -> (String, String) {
        let (address, query) = location.split_once('?').unwrap();
        assert_eq!(address, format!("{}/auth", self.shared.issuer));
        let asked = pairs(query);
        assert_eq!((asked["response_type"].as_str(), asked["client_id"].as_str()), ("code", CLIENT));
        assert_eq!(
            (asked["code_challenge_method"].as_str(), asked["scope"].as_str()),
            ("S256", "openid email roles")
        );
        let code = format!("code/{}", asked["nonce"]);
        let kept = (asked["code_challenge"].clone(), asked["nonce"].clone());
        self.told(|told| told.codes.insert(code.clone(), kept));
        (code, asked["state"].clone())
    }
}

/// The pairs of a query or form.
fn pairs(text: &str) -> HashMap<String, String> {
    let decode = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            bytes.push(match byte {
                b'+' => b' ',
                b'%' => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                other => other,
            });
        }
        String::from_utf8(bytes).unwrap()
    };
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

fn answer(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

async fn discovery(State(shared): State<Arc<Shared>>) -> Response {
    if shared.told.lock().unwrap().is_down {
        return answer(StatusCode::BAD_GATEWAY, &json!({}));
    }
    let issuer = &shared.issuer;
    let metadata = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/auth"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "end_session_endpoint": format!("{issuer}/logout"),
        "response_types_supported": ["code"],
    });
    answer(StatusCode::OK, &metadata)
}

async fn keys(State(shared): State<Arc<Shared>>) -> Response {
    let mut told = shared.told.lock().unwrap();
    told.looks += 1;
    answer(StatusCode::OK, &json!({ "keys": told.published }))
}

/// Exchanges a code, once, for whoever knows the client's secret and what the challenge was made of.
async fn token(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: String) -> Response {
    let mut told = shared.told.lock().unwrap();
    if told.is_down {
        return answer(StatusCode::BAD_GATEWAY, &json!({}));
    }
    let shown = headers[header::AUTHORIZATION].to_str().unwrap().strip_prefix("Basic ").unwrap();
    let shown = String::from_utf8(STANDARD.decode(shown).unwrap()).unwrap();
    // RFC 6749, 2.3.1: both are encoded as in a form.
    if shown != format!("{CLIENT}:s3cret%2Bwith%2Fodd%3Dletters") {
        return answer(StatusCode::UNAUTHORIZED, &json!({ "error": "invalid_client" }));
    }
    let form = pairs(&body);
    assert_eq!(form["grant_type"], "authorization_code");
    let kept = told.codes.remove(&form["code"]);
    let challenge = BASE64.encode(digest(&SHA256, form["code_verifier"].as_bytes()));
    let Some((_, nonce)) = kept.filter(|(kept, _)| *kept == challenge) else {
        return answer(StatusCode::BAD_REQUEST, &json!({ "error": "invalid_grant" }));
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let mut claims = json!({
        "iss": shared.issuer, "aud": CLIENT, "azp": CLIENT, "sub": "f:1:ann", "nonce": nonce,
        "iat": now, "exp": now + 300, "email": "ann@example.org", "email_verified": true,
        "realm_access": { "roles": ["news-editors", "offline_access"] },
    });
    for (name, value) in told.claims.as_object().unwrap() {
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(name);
        } else {
            claims[name] = value.clone();
        }
    }
    let right = json!({ "alg": told.key.algorithm(), "kid": told.key_id, "typ": "JWT" });
    let header = told.header.clone().unwrap_or(right);
    let token = told.key.sign(&header, &claims);
    answer(StatusCode::OK, &json!({ "access_token": "x", "token_type": "Bearer", "id_token": token }))
}

/// The value of a cookie that an answer sets, as a browser sends it back.
fn set_cookies(answer: &Answer, name: &str) -> Option<String> {
    let set = answer.headers("set-cookie").find(|set| set.starts_with(&format!("{name}=")))?;
    Some(set.split(';').next().unwrap().to_owned())
}

/// A browser that comes back from the provider with a query.
async fn come_back(client: &mut Client, cookie: &str, query: &str) -> Answer {
    client.cookie = Some(cookie.to_owned());
    client.get(&format!("/session/oidc/callback?{query}")).await
}

/// A browser begins to sign in. Returns its cookie, and the code and state with which the provider sends it back.
async fn begin(client: &mut Client, provider: &Provider) -> (String, String, String) {
    client.cookie = None;
    let begun = client.get("/session/oidc").await;
    assert_eq!(begun.status, 303, "{}", begun.body);
    let set = begun.headers("set-cookie").next().unwrap();
    assert!(set.contains("; HttpOnly; SameSite=Lax; Max-Age=600"), "{set}");
    let (code, state) = provider.authorize(begun.header("location").unwrap());
    (set_cookies(&begun, "newslode_oidc").unwrap(), code.replace('/', "%2F"), state)
}

/// All of a sign-in.
async fn sign_in(client: &mut Client, provider: &Provider) -> Answer {
    let (cookie, code, state) = begin(client, provider).await;
    come_back(client, &cookie, &format!("code={code}&state={state}")).await
}

/// Whether a browser with the session that an answer began may change things.
async fn may_write(client: &mut Client, answer: &Answer) -> bool {
    client.cookie = set_cookies(answer, "newslode_session");
    client.get("/operations").await.body.contains("name=\"mark\"")
}

#[tokio::test(flavor = "multi_thread")]
async fn people_sign_in_through_an_identity_provider() {
    let world = small_world(3);
    let seeds = world.seeds();
    let lab = Lab::serving(world, &seeds[..1]).await;
    lab.ok(&lab.mining("run", &["--max-pages", "5"])).await;
    let run = lab.path("run").display().to_string();
    let provider = Provider::start().await;
    let issuer = provider.shared.issuer.clone();
    let file = lab.path("secret").display().to_string();
    std::fs::write(&file, format!("{SECRET}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let options =
        ["serve", &run, "--addr", "127.0.0.1:0", "--oidc-issuer", &issuer, "--oidc-client-id", CLIENT];
    let more =
        ["--oidc-client-secret-file", &file, "--oidc-claim", "realm_access.roles", "--oidc-scope", "roles"];
    let roles = ["--oidc-write", "news-editors", "--oidc-read", "news-readers"];

    let ended = lab.run(&options).await;
    assert!(ended.code == Some(1) && ended.err.contains("--oidc-write"), "{ended:?}");
    let plain = [
        "serve",
        &run,
        "--oidc-issuer",
        "http://sso.example.org",
        "--oidc-client-id",
        "x",
        "--oidc-read",
        "x",
    ];
    let ended = lab.run(&plain).await;
    assert!(ended.code == Some(1) && ended.err.contains("https://"), "{ended:?}");

    let served = Served::start(&lab, &[&options[..], &more, &roles].concat()).await;
    assert!(!lab.path("sign-in").exists(), "people can sign in already");
    let mut client = Client::new(served.client.addr);
    let client = &mut client;
    assert!(client.get("/session").await.body.contains("href=\"/session/oidc\""));
    a_person_signs_in_and_out(client, &provider).await;
    roles_come_from_the_claim(client, &provider).await;
    tokens_that_prove_nothing_are_refused(client, &provider).await;
    browsers_finish_only_what_they_began(client, &provider).await;
    keys_may_change(client, &provider).await;
    a_provider_that_is_down_is_said_to_be(client, &provider).await;
    served.end().await;

    the_log_says_who_signed_in(&lab);
}

async fn a_person_signs_in_and_out(client: &mut Client, provider: &Provider) {
    let signed = sign_in(client, provider).await;
    assert_eq!(
        (signed.status, signed.header("refresh")),
        (200, Some("0; url=/operations")),
        "{}",
        signed.body
    );
    assert_eq!(
        set_cookies(&signed, "newslode_oidc").as_deref(),
        Some("newslode_oidc="),
        "the attempt is forgotten"
    );
    assert!(
        signed
            .headers("set-cookie")
            .any(|set| set.contains("newslode_session=") && set.contains("SameSite=Strict"))
    );
    assert!(may_write(client, &signed).await);
    let page = client.get("/session").await;
    assert!(page.body.contains("oidc:ann@example.org"), "{}", page.body);
    let out = client.post("/session/end", &[], &[]).await;
    assert!(
        out.status == 200 && out.body.contains("/realms/news/logout?client_id=newslode-console"),
        "{}",
        out.body
    );
    assert!(!client.get("/operations").await.body.contains("name=\"mark\""));
}

async fn roles_come_from_the_claim(client: &mut Client, provider: &Provider) {
    let with = |claims: Value| provider.told(|told| told.claims = claims);
    with(json!({ "realm_access": { "roles": ["news-readers"] }, "email_verified": false }));
    let signed = sign_in(client, provider).await;
    assert!(signed.status == 200 && !may_write(client, &signed).await);
    let page = client.get("/session").await;
    assert!(page.body.contains("oidc:f:1:ann") && !page.body.contains("ann@example.org"), "{}", page.body);
    for claims in [
        json!({ "realm_access": { "roles": ["news-editor", "NEWS-EDITORS", ""] } }),
        json!({ "realm_access": { "roles": { "news-editors": true } } }),
        json!({ "realm_access": "news-editors" }),
        json!({ "realm_access": null }),
    ] {
        with(claims.clone());
        let refused = sign_in(client, provider).await;
        assert_eq!(refused.status, 403, "{claims}: {}", refused.body);
        assert!(set_cookies(&refused, "newslode_session").is_none(), "{claims}");
    }
    with(json!({}));
}

async fn tokens_that_prove_nothing_are_refused(client: &mut Client, provider: &Provider) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let wrong = [
        json!({ "nonce": "another" }),
        json!({ "nonce": null }),
        json!({ "aud": "another" }),
        json!({ "aud": null }),
        json!({ "aud": [CLIENT, "another"], "azp": "another" }),
        json!({ "aud": [CLIENT, "another"], "azp": null }),
        json!({ "iss": "https://sso.example.org" }),
        json!({ "iss": null }),
        json!({ "exp": now - 61 }),
        json!({ "exp": "never" }),
        json!({ "exp": null }),
        json!({ "nbf": now + 90 }),
        json!({ "iat": now + 90 }),
        json!({ "sub": null }),
        json!({ "sub": "" }),
    ];
    for claims in wrong {
        provider.told(|told| told.claims = claims.clone());
        let refused = sign_in(client, provider).await;
        assert_eq!(refused.status, 401, "{claims}: {}", refused.body);
        assert!(set_cookies(&refused, "newslode_session").is_none(), "{claims}");
        // So that the brake does not make this test last.
        provider.told(|told| told.claims = json!({}));
        assert_eq!(sign_in(client, provider).await.status, 200);
    }
    // A clock that is a little off does not matter.
    provider.told(|told| told.claims = json!({ "exp": now - 20, "iat": now + 40, "nbf": now + 40 }));
    assert_eq!(sign_in(client, provider).await.status, 200);
    provider.told(|told| told.claims = json!({}));
    for header in [
        json!({ "alg": "none" }),
        json!({ "alg": "HS256", "kid": "first" }),
        json!({ "alg": "ES256", "kid": "first" }),
        json!({ "alg": "RS512", "kid": "first" }),
        json!({ "alg": "RS256", "kid": "odd" }),
    ] {
        provider.told(|told| told.header = Some(header.clone()));
        let refused = sign_in(client, provider).await;
        assert_eq!(refused.status, 401, "{header}: {}", refused.body);
    }
    provider.told(|told| told.header = None);
    // Signed by another key under the same name.
    provider.told(|told| told.key = Key::rsa());
    assert_eq!(sign_in(client, provider).await.status, 401);
    provider.publish();
}

async fn browsers_finish_only_what_they_began(client: &mut Client, provider: &Provider) {
    let (cookie, code, state) = begin(client, provider).await;
    let (other, _, other_state) = begin(client, provider).await;
    for (cookie, query) in [
        (cookie.as_str(), format!("code={code}&state={other_state}")),
        (cookie.as_str(), format!("code={code}&state=")),
        (cookie.as_str(), format!("code={code}")),
        (cookie.as_str(), format!("state={state}")),
        (cookie.as_str(), format!("code={code}&state={state}&iss=https%3A%2F%2Fsso.example.org")),
        (cookie.as_str(), format!("error=access_denied&state={state}")),
        // The code of one browser in another, which began a sign-in of its own: the provider asks for what the challenge was made of.
        (other.as_str(), format!("code={code}&state={other_state}")),
        (other.as_str(), format!("code={code}&state={state}")),
        ("newslode_oidc=", format!("code={code}&state={state}")),
        ("a=b", format!("code={code}&state={state}")),
    ] {
        let refused = come_back(client, cookie, &query).await;
        assert_eq!(refused.status, 401, "{cookie} {query}: {}", refused.body);
        assert!(set_cookies(&refused, "newslode_session").is_none(), "{query}");
    }
    let (cookie, code, state) = begin(client, provider).await;
    let query = format!("code={code}&state={state}");
    assert_eq!(come_back(client, &cookie, &query).await.status, 200);
    let again = come_back(client, &cookie, &query).await;
    assert!(again.status == 401 && again.body.contains("it was used"), "{}", again.body);
}

/// A new key is looked for when a token names it, and not again and again.
async fn keys_may_change(client: &mut Client, provider: &Provider) {
    tokio::time::sleep(std::time::Duration::from_secs(11)).await;
    provider.rotate(Key::curve(), "second");
    let signed = sign_in(client, provider).await;
    assert!(signed.status == 200 && may_write(client, &signed).await, "{}", signed.body);
    let looks = provider.told(|told| told.looks);
    assert_eq!(sign_in(client, provider).await.status, 200);
    provider.told(|told| told.header = Some(json!({ "alg": "ES256", "kid": "third" })));
    assert_eq!(sign_in(client, provider).await.status, 401);
    assert_eq!(provider.told(|told| told.looks), looks);
    provider.told(|told| told.header = None);
}

async fn a_provider_that_is_down_is_said_to_be(client: &mut Client, provider: &Provider) {
    let (cookie, code, state) = begin(client, provider).await;
    provider.told(|told| told.is_down = true);
    let failed = come_back(client, &cookie, &format!("code={code}&state={state}")).await;
    assert!(failed.status == 503 && failed.body.contains("does not answer"), "{}", failed.body);
    assert_eq!(client.get("/").await.status, 200);
    provider.told(|told| told.is_down = false);
    assert_eq!(sign_in(client, provider).await.status, 200);
}

fn the_log_says_who_signed_in(lab: &Lab) {
    let text = std::fs::read_to_string(lab.path("run").join("console-audit.jsonl")).unwrap();
    for said in [
        "\"who\":\"oidc:ann@example.org\",\"from\":\"127.0.0.1\",\"did\":\"signed_in\",\"about\":\"write, subject f:1:ann\"",
        "\"who\":\"oidc:f:1:ann\",\"from\":\"127.0.0.1\",\"did\":\"signed_in\",\"about\":\"read, subject f:1:ann\"",
        "\"who\":\"oidc:ann@example.org\",\"from\":\"127.0.0.1\",\"did\":\"refused\",\"about\":\"no role\"",
        "\"who\":\"oidc:ann@example.org\",\"from\":\"127.0.0.1\",\"did\":\"signed_out\"",
        "wrong sign-in through 127.0.0.1: the token's nonce is not that of this browser's sign-in, number 1 from there",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert!(!text.contains("code%2F") && !text.contains(SECRET), "{text}");
}

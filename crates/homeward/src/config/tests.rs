//! Tests of where settings come from, and of which are refused.

use super::*;

fn resolve(options: Options, file: &str) -> anyhow::Result<Config> {
    let defaults: Options = toml::from_str(DEFAULTS)?;
    Config::from_options(options.or(toml::from_str(file)?).or(defaults))
}

#[test]
fn the_defaults_are_complete() {
    let config = resolve(Options::default(), "").unwrap();
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.data_dir, Path::new("./homeward-data"));
    assert_eq!(config.rate_limit_per_minute, 2500);
    assert!(config.tls.is_none());
}

#[test]
fn a_flag_overrides_the_file_and_the_file_overrides_the_defaults() {
    let flags = Options { listen: Some("127.0.0.1:1".to_owned()), ..Options::default() };
    let file = "listen = \"127.0.0.1:2\"\nenvironment = \"production\"";
    let config = resolve(flags, file).unwrap();
    assert_eq!(config.listen.port(), 1);
    assert_eq!(config.rate_limit_per_minute, 5000);
}

#[test]
fn unknown_and_incomplete_settings_are_refused() {
    assert!(toml::from_str::<Options>("lisen = \"127.0.0.1:2\"").is_err());
    assert!(resolve(Options::default(), "tls_cert = \"a\"").is_err());
    assert!(resolve(Options::default(), "store = \"mysql://\"").is_err());
    assert!(resolve(Options::default(), "allow_network = [\"acme@10.0.0.0/33:443\"]").is_err());
    assert!(resolve(Options::default(), "allow_network = [\"10.0.0.0/8\"]").is_err());
    assert!(resolve(Options::default(), "trusted_proxies = [\"proxy.example\"]").is_err());
    assert!(resolve(Options::default(), "log_level = \"loud\"").is_err());
    assert!(resolve(Options::default(), "listen = \"here\"").is_err());
}

#[test]
fn a_refusal_names_the_setting_the_value_and_what_is_allowed() {
    let refuse = |text: &str| format!("{:#}", resolve(Options::default(), text).unwrap_err());
    let text = refuse("trusted_proxies = [\"proxy.example\"]");
    let begins = "trusted_proxies must be networks such as 10.0.0.0/8, not proxy.example: ";
    assert!(text.starts_with(begins), "{text}");
    let text = refuse("allow_network = [\"10.0.0.0/8\"]");
    assert!(text.starts_with("allow_network must be "), "{text}");
    assert!(text.contains("such as acme@10.1.0.0/16:8443, not 10.0.0.0/8: "), "{text}");
    let text = refuse("log_level = \"loud\"");
    assert_eq!(text, "log_level must be error, warn, info, debug or trace, not loud");
}

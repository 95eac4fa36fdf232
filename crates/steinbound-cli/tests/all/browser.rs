//! Chromium without a window, steered over a pipe.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    session: Option<String>,
    count: u64,
    /// What happened since the page was opened.
    events: Vec<Value>,
    _folder: TempDir,
}

/// A browser on this machine.
fn installed() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

impl Browser {
    pub fn start() -> Browser {
        let folder = tempfile::tempdir().unwrap();
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            path
        };
        let (commands, answers) = (pipe("commands"), pipe("answers"));
        // The browser reads commands from descriptor 3 and answers on descriptor 4.
        let child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<\"$COMMANDS\" 4>\"$ANSWERS\""])
            .arg(installed().expect("Chromium on the path"))
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
            .args(["--disable-background-networking", "--disable-component-update", "--hide-scrollbars"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .env("COMMANDS", &commands)
            .env("ANSWERS", &answers)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = File::options().write(true).open(&commands).unwrap();
        let from = BufReader::new(File::open(&answers).unwrap());
        let mut browser =
            Browser { child, to, from, session: None, count: 0, events: Vec::new(), _folder: folder };
        let target = browser.send("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.send("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.send(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Opens a page on a screen of this width, with a colour scheme.
    pub fn open(&mut self, page: &Path, width: u32, scheme: &str) {
        let screen = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600});
        self.send("Emulation.setDeviceMetricsOverride", screen);
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.send("Emulation.setEmulatedMedia", features);
        self.events.clear();
        self.send("Page.navigate", json!({"url": format!("file://{}", page.display())}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.read();
            self.events.push(event);
        }
    }

    /// The value of an expression on the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let found = self.send("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(found.get("exceptionDetails").is_none(), "{found}");
        found["result"]["value"].clone()
    }

    /// A picture of the whole page.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let size = self.send("Page.getLayoutMetrics", json!({}))["cssContentSize"].clone();
        let clip = json!({"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1});
        let shot = self.send("Page.captureScreenshot", json!({"captureBeyondViewport": true, "clip": clip}));
        bytes_of(shot["data"].as_str().unwrap())
    }

    /// The page printed on A4: how many sheets.
    pub fn sheets(&mut self) -> usize {
        let wanted = json!({"preferCSSPageSize": true, "printBackground": true});
        let printed = bytes_of(self.send("Page.printToPDF", wanted)["data"].as_str().unwrap());
        let text = String::from_utf8_lossy(&printed);
        text.matches("/Type /Page\n").count()
    }

    /// What the console says, errors and violations of the page's policy.
    pub fn complaints(&self) -> Vec<String> {
        const METHODS: [&str; 3] = ["Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"];
        let of_page = |event: &&Value| METHODS.iter().any(|method| event["method"] == *method);
        self.events.iter().filter(of_page).map(|event| event["params"].to_string()).collect()
    }

    /// What the page asked of a network.
    pub fn requests(&self) -> Vec<String> {
        let asked = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let urls = asked.filter_map(|event| event["params"]["request"]["url"].as_str());
        urls.filter(|url| !url.starts_with("file:") && !url.starts_with("data:")).map(String::from).collect()
    }

    fn send(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        let mut command = json!({"id": self.count, "method": method, "params": params});
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{command}\0").as_bytes()).unwrap();
        loop {
            let mut answer = self.read();
            if answer["id"] == self.count {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    fn read(&mut self) -> Value {
        let mut message = Vec::new();
        self.from.read_until(0, &mut message).unwrap();
        message.pop();
        serde_json::from_slice(&message).expect("the browser is there")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes that a text in base 64 stands for.
fn bytes_of(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value_of = [0; 256];
    DIGITS.iter().enumerate().for_each(|(k, digit)| value_of[usize::from(*digit)] = k as u32);
    let digits: Vec<u8> = text.bytes().filter(|digit| *digit != b'=').collect();
    let group = |four: &[u8]| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | value_of[usize::from(*digit)]);
        let bits = bits << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}

#[test]
fn base_64_is_read() {
    assert_eq!(bytes_of("TWFu"), b"Man");
    assert_eq!(bytes_of("TWE="), b"Ma");
    assert_eq!(bytes_of("TQ=="), b"M");
}
